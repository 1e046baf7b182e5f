package dev.orbweaver.export;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The formats of a list of changed pages. */
public enum ChangeFormat {
    TEXT("changes.txt"),
    JSONL("changes.jsonl"),
    ATOM("changes.atom");

    private final String fileName;

    ChangeFormat(String fileName) {
        this.fileName = fileName;
    }

    /** Returns the name of the file in a directory. */
    String fileName() {
        return fileName;
    }

    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<ChangeFormat> byId(String id) {
        return Arrays.stream(values()).filter(format -> format.id().equals(id)).findFirst();
    }

    public static String ids() {
        return Arrays.stream(values()).map(ChangeFormat::id).collect(Collectors.joining(", "));
    }
}
