package dev.orbweaver.internal.config;

import java.util.List;

/**
 * One setting of a crawl. Options, YAML keys, help texts and defaults are made from the table of
 * settings.
 *
 * @param key its name on the command line, in YAML and in the API, in kebab case
 * @param group the heading under which help lists it
 * @param placeholder stands for the value in help texts, such as {@code REGEX}
 * @param defaultValue its default as a user would write it; empty for none
 * @param choices the accepted words; for a text, those that are complete values by themselves
 * @param secret whether it may hold a password or token; secrets are stored in a file of their own
 *     and are never displayed, logged, archived or uploaded
 */
public record Setting(
        String key,
        SettingGroup group,
        ValueType valueType,
        String placeholder,
        String defaultValue,
        String help,
        List<String> choices,
        boolean secret) {

    public Setting {
        choices = List.copyOf(choices);
        if (valueType == ValueType.CHOICE && choices.isEmpty()) {
            throw new IllegalArgumentException("setting " + key + " has no choices");
        }
    }

    /** A setting that is listed under {@link SettingGroup#ADVANCED}. */
    public Setting(String key, ValueType valueType, String fallback, String help) {
        this(key, valueType, fallback, help, List.of());
    }

    /** A setting that accepts some words besides other text. */
    Setting(String key, ValueType valueType, String fallback, String help, List<String> choices) {
        this(
                key,
                SettingGroup.ADVANCED,
                valueType,
                valueType == ValueType.CHOICE ? String.join("|", choices) : valueType.placeholder(),
                fallback,
                help,
                choices,
                false);
    }

    public Setting(Choice<?> choice, String fallback, String help) {
        this(choice.key(), ValueType.CHOICE, fallback, help, choice.ids());
    }

    public Setting asSecret() {
        return new Setting(key, group, valueType, placeholder, defaultValue, help, choices, true);
    }

    public Setting in(SettingGroup other) {
        return new Setting(key, other, valueType, placeholder, defaultValue, help, choices, secret);
    }

    public Setting withPlaceholder(String other) {
        return new Setting(key, group, valueType, other, defaultValue, help, choices, secret);
    }

    public enum ValueType {
        /** A whole number; for limits also {@code none}. */
        COUNT("N"),
        /** A number that may have a fraction. */
        FACTOR("NUMBER"),
        /** Such as {@code 500ms}. */
        DURATION("TIME"),
        /** Such as {@code 20MB}. */
        SIZE("SIZE"),
        /** A boolean; on the command line an option without a value. */
        SWITCH(""),
        TEXT("TEXT"),
        /** Several texts: a repeated option on the command line, a list in YAML. */
        LIST("TEXT"),
        /** One of a few words; help lists them instead of a placeholder. */
        CHOICE("");

        private final String placeholder;

        ValueType(String placeholder) {
            this.placeholder = placeholder;
        }

        private String placeholder() {
            return placeholder;
        }
    }
}
