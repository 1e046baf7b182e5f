package dev.orbweaver.internal.fetch;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Fails a request that exceeds its deadline, and closes its connection. Belongs to the connection's
 * event loop. An HTTP/2 connection has one for each request in flight.
 *
 * <p>Almost every deadline is met, so setting one must cost nothing. Deadlines of a connection only
 * move forward. So there is one timer, which is left unchanged while it fires early enough; if it
 * fires too early, it is scheduled again. A connection with a thousand requests per second
 * schedules it every few seconds.
 */
final class RequestTimeout {

    private final Consumer<PendingRequest> onLate;
    private final EventLoop loop;
    private final LongSupplier nanos;
    private @Nullable PendingRequest armedRequest;
    private @Nullable Future<?> timer;
    private long timerNanos;

    /**
     * @param nanos the monotonic clock
     */
    RequestTimeout(Channel channel, EventLoop loop, LongSupplier nanos) {
        this(
                late -> {
                    late.fail(late.timeoutException());
                    var _ = channel.close();
                },
                loop,
                nanos);
    }

    /**
     * @param onLate fails a request whose deadline has passed
     */
    RequestTimeout(Consumer<PendingRequest> onLate, EventLoop loop, LongSupplier nanos) {
        this.onLate = onLate;
        this.loop = loop;
        this.nanos = nanos;
    }

    /** Sets the deadline of a request, which may have moved. */
    void arm(PendingRequest pendingRequest) {
        armedRequest = pendingRequest;
        if (timer == null) {
            schedule(pendingRequest.deadlineNanos());
        } else if (timerNanos - pendingRequest.deadlineNanos() > 0) {
            timer.cancel(false);
            schedule(pendingRequest.deadlineNanos());
        }
    }

    void disarm() {
        armedRequest = null;
    }

    /** Cancels the timer, which must not outlive its connection. */
    void cancel() {
        armedRequest = null;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void schedule(long deadlineNanos) {
        timerNanos = deadlineNanos;
        var left = Math.max(0, deadlineNanos - nanos.getAsLong());
        timer = loop.schedule(this::onTimer, left, TimeUnit.NANOSECONDS);
    }

    private void onTimer() {
        timer = null;
        var pendingRequest = armedRequest;
        if (pendingRequest == null) {
            return;
        }
        if (pendingRequest.deadlineNanos() - nanos.getAsLong() > 0) {
            schedule(pendingRequest.deadlineNanos());
        } else {
            armedRequest = null;
            onLate.accept(pendingRequest);
        }
    }
}
