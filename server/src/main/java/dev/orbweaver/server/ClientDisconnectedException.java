package dev.orbweaver.server;

import java.io.IOException;

/** The client disconnected before the response was sent; not an error of the service. */
final class ClientDisconnectedException extends IOException {

    private static final long serialVersionUID = 1;

    ClientDisconnectedException(IOException cause) {
        super(cause);
    }
}
