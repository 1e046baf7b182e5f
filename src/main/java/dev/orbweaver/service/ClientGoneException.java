package dev.orbweaver.service;

import java.io.IOException;

/** Who asked has gone before the answer was sent: nothing that is wrong here. */
final class ClientGoneException extends IOException {

    private static final long serialVersionUID = 1;

    ClientGoneException(IOException cause) {
        super(cause);
    }
}
