package dev.orbweaver.config;

import java.util.List;

/**
 * One thing that a user can set. The table of settings makes options, YAML keys, help and defaults.
 *
 * @param key its name everywhere, in kebab case
 * @param valueType what it takes, as shown in help
 * @param defaultValue its default as a user would write it; empty for none
 * @param choices the words it takes; for a text those that need nothing said besides
 * @param secret it may hold a password or token: it is stored apart from the others, and neither
 *     shown, logged, archived nor uploaded
 */
public record Setting(
        String key,
        ValueType valueType,
        String defaultValue,
        String help,
        List<String> choices,
        boolean secret) {

    public Setting {
        choices = List.copyOf(choices);
        if (valueType == ValueType.CHOICE && choices.isEmpty()) {
            throw new IllegalArgumentException(key + " takes one of no words");
        }
    }

    public Setting(String key, ValueType valueType, String fallback, String help) {
        this(key, valueType, fallback, help, List.of(), false);
    }

    /** One that takes some words besides other text. */
    Setting(String key, ValueType valueType, String fallback, String help, List<String> choices) {
        this(key, valueType, fallback, help, choices, false);
    }

    public Setting asSecret() {
        return new Setting(key, valueType, defaultValue, help, choices, true);
    }

    public Setting(Choice<?> choice, String fallback, String help) {
        this(choice.key(), ValueType.CHOICE, fallback, help, choice.ids(), false);
    }

    public enum ValueType {
        /** A whole number; for limits also {@code none}. */
        COUNT("N"),
        /** A number, perhaps with a fraction. */
        FACTOR("NUMBER"),
        /** Such as {@code 500ms}. */
        DURATION("TIME"),
        /** Such as {@code 20MB}. */
        SIZE("SIZE"),
        /** Yes or no; on the command line its presence alone. */
        SWITCH(""),
        TEXT("TEXT"),
        /** Several texts: repeated on the command line, a list in YAML. */
        LIST("ITEM"),
        CHOICE("WORD");

        private final String label;

        ValueType(String label) {
            this.label = label;
        }

        /** The placeholder in help texts. */
        public String label() {
            return label;
        }
    }
}
