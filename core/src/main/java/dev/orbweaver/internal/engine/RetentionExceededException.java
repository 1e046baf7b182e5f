package dev.orbweaver.internal.engine;

import java.io.IOException;

/** The captures that must be kept exceed the size of the retention, so nothing may be fetched. */
final class RetentionExceededException extends IOException {

    private static final long serialVersionUID = 1;

    RetentionExceededException(String message) {
        super(message);
    }
}
