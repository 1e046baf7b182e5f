package dev.orbweaver.imports;

import java.io.IOException;

/** A source that cannot be read, or not to its end. The message is a whole sentence. */
public class SourceException extends IOException {

    private static final long serialVersionUID = 1;

    private final boolean atLimit;

    public SourceException(String message) {
        this(message, false);
    }

    private SourceException(String message, boolean atLimit) {
        super(message);
        this.atLimit = atLimit;
    }

    /** Creates the exception of a source that has passed on as much as it was to. */
    static SourceException atLimit(String message) {
        return new SourceException(message, true);
    }

    /** Returns whether reading the source again would not find more. */
    public boolean isAtLimit() {
        return atLimit;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
