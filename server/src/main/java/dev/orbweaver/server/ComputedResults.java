package dev.orbweaver.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleConsumer;

/**
 * Computes results that take longer than a call, once, and stores each in a file.
 *
 * <p>A stored result counts only for the source that it was computed from. While it is computed,
 * calls get status 202 with the progress.
 */
final class ComputedResults implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ComputedResults.class);

    /** Limits computations, because each one reads a whole crawl; others wait. */
    private static final int CONCURRENCY = 2;

    /** Includes those that wait. */
    private static final int RUNNING_MAX = 16;

    /** A short computation is awaited, so that most jobs need one call. */
    private static final Duration PATIENCE = Duration.ofMillis(300);

    /** Computes a result. */
    interface Work {
        /**
         * Returns the result, as an object that is written as JSON.
         *
         * @param progress receives the progress from 0 to 1; throws when the service is closed
         */
        Object run(DoubleConsumer progress) throws Exception;
    }

    private record Stored(String source, Object result) {}

    private record Progress(String state, double progress) {}

    /** A result that is being computed. */
    private static final class Computation {
        private final CompletableFuture<byte[]> result = new CompletableFuture<>();
        private volatile double progress;
    }

    private final Semaphore slots = new Semaphore(CONCURRENCY);

    /** By file and source: a file may be wanted for two sources at a time. */
    private final Map<String, Computation> running = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /**
     * Sends the stored result, or computes it.
     *
     * @param file where the result is stored
     * @param source what the result depends on; a result of another source is computed again
     */
    void send(ApiCall apiCall, Path file, String source, Work work) throws Exception {
        var stored = stored(file, source);
        if (stored.isPresent()) {
            apiCall.json(stored.get());
            return;
        }
        var key = file + " " + source;
        if (running.size() >= RUNNING_MAX && !running.containsKey(key)) {
            throw ProblemException.of(
                    ProblemException.TOO_MANY_REQUESTS,
                    "The limit of %d reports and comparisons that are being computed is reached; retry later."
                            .formatted(RUNNING_MAX));
        }
        var computation = running.computeIfAbsent(key, _ -> start(key, file, source, work));
        try {
            var result = computation.result.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            apiCall.json(JsonMapper.shared().readTree(result));
        } catch (TimeoutException e) {
            var share = Math.round(100 * computation.progress) / 100.0;
            apiCall.json(202, new Progress("computing", share));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProblemException problem
                    ? problem
                    : new IOException("the result could not be computed", e.getCause());
        }
    }

    private static Optional<JsonNode> stored(Path file, String source) throws IOException {
        try {
            var stored = JsonMapper.shared().readTree(Files.readAllBytes(file));
            return stored.path("source").asString("").equals(source)
                    ? Optional.of(stored.path("result"))
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JacksonException e) {
            LOG.warn("{} is damaged and computed again", file);
            return Optional.empty();
        }
    }

    private Computation start(String key, Path file, String source, Work work) {
        var computation = new Computation();
        Thread.ofVirtual()
                .name("computes " + file.getFileName())
                .start(
                        () -> {
                            run(file, source, work, computation);
                            running.remove(key, computation);
                        });
        return computation;
    }

    private void run(Path file, String source, Work work, Computation computation) {
        try {
            slots.acquire();
            try {
                var result =
                        work.run(
                                share -> {
                                    requireOpen();
                                    computation.progress = share;
                                });
                store(file, new Stored(source, result));
                computation.result.complete(JsonMapper.shared().writeValueAsBytes(result));
            } finally {
                slots.release();
            }
        } catch (Throwable e) { // Also an error: calls and other computations must not wait.
            if (!closed && Files.isDirectory(directoryOf(file))) { // Otherwise the job was deleted.
                LOG.warn("could not compute {}", file, e);
            }
            computation.result.completeExceptionally(e);
        }
    }

    private static void store(Path file, Stored stored) throws IOException {
        var partial = Files.createTempFile(directoryOf(file), "result", ".partial");
        Files.write(partial, JsonMapper.shared().writeValueAsBytes(stored));
        Files.move(
                partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static Path directoryOf(Path file) {
        return Objects.requireNonNull(file.getParent(), "a file of a job is in its directory");
    }

    private void requireOpen() {
        if (closed) {
            throw ProblemException.of(
                    ProblemException.UNAVAILABLE, "The service is shutting down.");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
