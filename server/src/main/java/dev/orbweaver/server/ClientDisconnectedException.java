package dev.orbweaver.server;

import java.io.IOException;

/** Who asked has gone before the answer was sent: nothing that is wrong here. */
final class ClientDisconnectedException extends IOException {

    private static final long serialVersionUID = 1;

    ClientDisconnectedException(IOException cause) {
        super(cause);
    }
}
