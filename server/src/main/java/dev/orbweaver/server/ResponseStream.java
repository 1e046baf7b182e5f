package dev.orbweaver.server;

import java.io.IOException;
import java.io.OutputStream;

/**
 * An answer that is sent piece by piece. What fails at sending is told apart from what fails at
 * making the pieces: the first is a client that has gone, which is nothing to be told of, the
 * second is our own trouble, which is.
 */
final class ResponseStream {

    private final OutputStream out;

    ResponseStream(OutputStream out) {
        this.out = out;
    }

    void write(byte[] bytes, int length) throws ClientDisconnectedException {
        try {
            out.write(bytes, 0, length);
        } catch (IOException e) {
            throw new ClientDisconnectedException(e);
        }
    }

    void write(byte[] bytes) throws ClientDisconnectedException {
        write(bytes, bytes.length);
    }

    /** Sends what was written; the head of the answer, too, is on its way then. */
    void flush() throws ClientDisconnectedException {
        try {
            out.flush();
        } catch (IOException e) {
            throw new ClientDisconnectedException(e);
        }
    }
}
