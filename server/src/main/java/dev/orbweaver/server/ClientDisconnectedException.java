package dev.orbweaver.server;

import java.io.IOException;

/** The client has disconnected before the response was sent, which is no error of ours. */
final class ClientDisconnectedException extends IOException {

    private static final long serialVersionUID = 1;

    ClientDisconnectedException(IOException cause) {
        super(cause);
    }
}
