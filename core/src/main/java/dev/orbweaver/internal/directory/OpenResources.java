package dev.orbweaver.internal.directory;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Resources that a constructor opens one after the other, closed again when it fails. */
public final class OpenResources {

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    private OpenResources() {}

    @FunctionalInterface
    public interface Opener<T, E extends Exception> {
        T open(OpenResources openResources) throws IOException, E;
    }

    /** Returns what was opened; on failure closes what it consists of so far, the last first. */
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
