package dev.orbweaver.internal.fetch;

import java.io.IOException;

/** This machine could not open a socket, as when all its descriptors are taken. */
final class NoSocketException extends IOException {

    private static final long serialVersionUID = 1;

    NoSocketException(String message) {
        super(message);
    }
}
