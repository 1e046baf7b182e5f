package dev.orbweaver.internal.config;

import java.io.IOException;

/**
 * Thrown by an operation on files or the network when its arguments cannot work, such as a file
 * where a directory is needed. The message says what is accepted.
 */
public final class InvalidArgumentException extends IOException {

    private static final long serialVersionUID = 1;

    public InvalidArgumentException(String message) {
        super(message);
    }
}
