package dev.orbweaver.server;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A response that is sent in chunks. It distinguishes a failure to send from a failure to produce
 * data: the first means that the client has disconnected and is not logged, the second is an error
 * of the service and is logged.
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

    /** Flushes the headers and the data written so far. */
    void flush() throws ClientDisconnectedException {
        try {
            out.flush();
        } catch (IOException e) {
            throw new ClientDisconnectedException(e);
        }
    }
}
