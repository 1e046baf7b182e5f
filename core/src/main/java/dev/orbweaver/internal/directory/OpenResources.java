package dev.orbweaver.internal.directory;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Tracks resources that a constructor opens in sequence, and closes them if the constructor fails.
 */
public final class OpenResources {

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    private OpenResources() {}

    @FunctionalInterface
    public interface Opener<T, E extends Exception> {
        T open(OpenResources openResources) throws IOException, E;
    }

    /**
     * Returns the opened object. On failure, closes the resources opened so far, in reverse order.
     */
    public static <T, E extends Exception> T open(Opener<T, E> opener) throws IOException, E {
        var openResources = new OpenResources();
        try {
            return opener.open(openResources);
        } catch (Exception e) {
            openResources.closeOnFailure(e);
            throw e;
        }
    }

    public <T extends AutoCloseable> T add(T part) {
        resources.push(part);
        return part;
    }

    private void closeOnFailure(Exception error) {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                error.addSuppressed(e);
            }
        }
    }
}
