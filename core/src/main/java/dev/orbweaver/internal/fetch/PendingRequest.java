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
 * One request in flight: the bytes to send, the reader of the response, and the current step and
 * deadline.
 *
 * <p>The requesting thread creates it, passes it to an event loop and sleeps until {@code finished}
 * is completed, which is the last thing the loop does with it. Until then everything here belongs
 * to the loop, afterwards to the thread. The thread sleeps without a timeout: a timed wait of a
 * virtual thread uses a timer thread of the JDK, which took a fifteenth of the time of a new
 * connection. Timeouts are enforced on the loop instead, by the connection's {@link
 * RequestTimeout}; {@link Transport#close} completes requests that a loop leaves open when it ends.
 */
final class PendingRequest {

    /** The steps of a request in order; a reused connection starts with the third. */
    enum Step {
        /** Waiting for the TCP connection, and for the tunnel through it. */
        CONNECT,
        /** Waiting for the end of the TLS handshake. */
        TLS,
        /** Waiting for the first byte of the response. */
        FIRST_BYTE,
        /** Waiting for the last byte. */
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
    private boolean http2;

    /**
     * Creates a request that was not started yet.
     *
     * @param startedNanos when the host's time began, by the monotonic clock
     * @param sent called on the event loop once the kernel has the bytes. A thread may pause for
     *     longer than a delay between reading the clock and writing, so a time read before the
     *     write may be too early; one read after it never is.
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

    /** Enters a step, whose deadline is its own limit or the rest of the total. */
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

    /** Returns the duration of a completed step; zero if it was not needed. */
    Duration duration(Step over) {
        return stepDurations.getOrDefault(over, Duration.ZERO);
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Marks the request as started: from now on the server may have received it. */
    void start(long nowNanos) {
        started = true;
        enterStep(Step.FIRST_BYTE, nowNanos);
    }

    /** Marks the request as started on a stream of an HTTP/2 connection. */
    void startHttp2(long nowNanos) {
        http2 = true;
        start(nowNanos);
    }

    /** Returns whether the request was sent over HTTP/2, where others may share its connection. */
    boolean isHttp2() {
        return http2;
    }

    /** Returns whether any byte may have been sent. Until then another connection can be tried. */
    boolean isStarted() {
        return started;
    }

    void markSent() {
        onSent.run();
    }

    void finish() {
        finished.complete(null);
    }

    /** Fails the request unless it is complete. */
    void fail(Throwable cause) {
        finished.completeExceptionally(cause);
    }

    TimeoutException timeoutException() {
        return new TimeoutException(
                switch (step) {
                    case null -> "timed out before the request was started";
                    case CONNECT -> "connection timed out";
                    case TLS -> "TLS handshake timed out";
                    case FIRST_BYTE -> "timed out waiting for the response";
                    case LAST_BYTE ->
                            "response not complete within " + timeouts.total().toMillis() + " ms";
                });
    }
}
