package dev.orbweaver.imports;

import java.io.IOException;

/** A source that cannot be read, or not to its end. The message is a whole sentence. */
public final class SourceException extends IOException {

    private static final long serialVersionUID = 1;

    public SourceException(String message) {
        super(message);
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
