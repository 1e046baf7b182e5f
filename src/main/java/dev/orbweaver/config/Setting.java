package dev.orbweaver.config;

/**
 * One thing that a user can set. The same table makes the command line's options, the keys of the
 * YAML file, the help text and the defaults, so a setting is described once.
 *
 * @param key its name everywhere, in kebab case
 * @param form what it takes, as shown in help
 * @param fallback its default as a user would write it; empty for none
 * @param help what it does, in one line
 */
public record Setting(String key, Form form, String fallback, String help) {

    /** What a value looks like. */
    public enum Form {
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
        /** Free text. */
        TEXT("TEXT"),
        /** Several texts: repeated on the command line, a list in YAML. */
        LIST("ITEM"),
        /** One of a few words. */
        CHOICE("WORD");

        private final String label;

        Form(String label) {
            this.label = label;
        }

        /** The placeholder in help texts. */
        public String label() {
            return label;
        }
    }
}
