package dev.orbweaver.internal.directory;

import java.util.ArrayDeque;
import java.util.Deque;

/** Parts that were opened one after the other, to be closed again when the next one fails to. */
public final class OpenResources {

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T part) {
        resources.push(part);
        return part;
    }

    /** Closes all, the last first; what goes wrong is told with what went wrong before. */
    public void closeOnFailure(Exception error) {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                error.addSuppressed(e);
            }
        }
    }
}
