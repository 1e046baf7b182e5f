package dev.orbweaver;

import java.util.ArrayDeque;
import java.util.Deque;

/** Parts that were opened one after the other, to be closed again when the next one fails to. */
final class Opened {

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    /** Closes all, the last first; what goes wrong is told with what went wrong before. */
    void closeAfter(Exception error) {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                error.addSuppressed(e);
            }
        }
    }
}
