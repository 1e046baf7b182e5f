package dev.orbweaver.server;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A response that is sent in pieces. A failure to send is distinguished from a failure to produce
 * the pieces: the first is a client that has disconnected, which is not reported, the second is an
 * error of ours, which is.
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

    /** Sends what was written, with the head of the response. */
    void flush() throws ClientDisconnectedException {
        try {
            out.flush();
        } catch (IOException e) {
            throw new ClientDisconnectedException(e);
        }
    }
}
