package dev.orbweaver.internal.fetch;

import java.io.IOException;

/**
 * Thrown when this machine could not open a socket, for example because of the descriptor limit.
 */
final class NoSocketException extends IOException {

    private static final long serialVersionUID = 1;

    NoSocketException(String message) {
        super(message);
    }
}
