package dev.orbweaver.cli;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Commands in messages that a user can paste into a shell. They begin with the program's name as
 * the user called it, which the launcher sets as a property.
 */
final class CommandHint {

    static final String PROPERTY = "orbweaver.command";

    private CommandHint() {}

    /**
     * Returns a command of this program; arguments with spaces or special characters are quoted.
     */
    static String of(Object... arguments) {
        return Arrays.stream(arguments)
                .map(argument -> " " + quote(argument.toString()))
                .collect(Collectors.joining("", program(), ""));
    }

    private static String program() {
        var called = System.getProperty(PROPERTY, "");
        return called.isBlank() ? "orbweaver" : quote(called);
    }

    private static String quote(String word) {
        return word.matches("[\\w@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
