package dev.orbweaver.internal.fetch;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * One request under way: what is sent, who reads the answer, what is waited for and until when.
 *
 * <p>The asking thread makes it, hands it to an event loop and sleeps until {@code finished} is
 * completed, which the loop does as its last act on it. In between everything here belongs to the
 * loop; afterwards to the thread. The thread's sleep has no limit of its own: a timed wait of a
 * virtual thread goes through a timer thread of the JDK, which took a fifteenth of the time of a
 * new connection. The limits are kept on the loop instead, by the connection's {@link
 * RequestTimeout}; what a loop does not get to say before it ends, {@link Transport#close} does.
 */
final class PendingRequest {

    /** What is waited for, in this order; a kept connection begins with the third. */
    enum Step {
        /** A TCP connection, and the tunnel through it. */
        CONNECT,
        /** The end of the TLS handshake. */
        TLS,
        /** The first byte of an answer. */
        FIRST_BYTE,
        /** The last one. */
        LAST_BYTE
    }

    final byte[] request;
    final ResponseReader reader;
    final CompletableFuture<Void> finished = new CompletableFuture<>();
    private final Runnable onSent;
    private final FetchSettings.Timeouts timeouts;
    private final long totalDeadlineNanos;
    private final Map<Step, Duration> stepDurations = new EnumMap<>(Step.class);
    private @Nullable Step step;
    private long stepStartedNanos;
    private long deadlineNanos;
    private boolean started;

    /**
     * @param startedNanos when the host's time began, by the monotonic clock
     * @param sent run on the event loop once the bytes are with the kernel: a thread may pause for
     *     longer than a delay between reading the clock and writing, so a time read before the
     *     write may be too early, one read after it never is
     */
    PendingRequest(
            byte[] request,
            ResponseReader reader,
            Runnable sent,
            FetchSettings.Timeouts timeouts,
            long startedNanos) {
        this.request = request;
        this.reader = reader;
        this.onSent = sent;
        this.timeouts = timeouts;
        this.totalDeadlineNanos = startedNanos + timeouts.total().toNanos();
        this.deadlineNanos = totalDeadlineNanos;
    }

    /** Starts waiting for a step, up to its own limit and what is left of the total. */
    void enterStep(Step next, long nowNanos) {
        if (step != null) {
            stepDurations.put(step, Duration.ofNanos(nowNanos - stepStartedNanos));
        }
        step = next;
        stepStartedNanos = nowNanos;
        var left = totalDeadlineNanos - nowNanos;
        deadlineNanos = nowNanos + Math.min(left, limit(next).toNanos());
    }

    private Duration limit(Step of) {
        return switch (of) {
            case CONNECT, TLS -> timeouts.connect();
            case FIRST_BYTE -> timeouts.firstByte();
            case LAST_BYTE -> timeouts.total();
        };
    }

    boolean read(ByteBuf bytes) throws IOException {
        if (step == Step.FIRST_BYTE) {
            enterStep(Step.LAST_BYTE, System.nanoTime());
        }
        reader.read(bytes);
        return reader.isDone();
    }

    /** How long a completed step took; zero if it was not needed. */
    Duration duration(Step over) {
        return stepDurations.getOrDefault(over, Duration.ZERO);
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** The request goes out: from here on the server may have seen it. */
    void start(long nowNanos) {
        started = true;
        enterStep(Step.FIRST_BYTE, nowNanos);
    }

    /** Whether any of the request may have gone out. While not, another connection can be tried. */
    boolean isStarted() {
        return started;
    }

    void markSent() {
        onSent.run();
    }

    void finish() {
        finished.complete(null);
    }

    /** Fails the request unless it has an outcome. */
    void fail(Throwable cause) {
        finished.completeExceptionally(cause);
    }

    TimeoutException timeoutException() {
        return new TimeoutException(
                switch (step) {
                    case null -> "not begun in time";
                    case CONNECT -> "no connection in time";
                    case TLS -> "no TLS handshake in time";
                    case FIRST_BYTE -> "no answer in time";
                    case LAST_BYTE -> "not complete within " + timeouts.total().toMillis() + " ms";
                });
    }
}
