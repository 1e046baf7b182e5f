package dev.orbweaver.internal.fetch;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Closes a connection whose request exceeds its deadline. Belongs to the connection's event loop.
 *
 * <p>Almost every deadline is met, so setting one must cost nothing. Deadlines of a connection only
 * move forward. So there is one timer, which is left unchanged while it fires early enough; if it
 * fires too early, it is scheduled again. A connection with a thousand requests per second
 * schedules it every few seconds.
 */
final class RequestTimeout {

    private final Channel channel;
    private final EventLoop loop;
    private final LongSupplier nanos;
    private @Nullable PendingRequest armedRequest;
    private @Nullable Future<?> timer;
    private long timerNanos;

    /**
     * @param nanos the monotonic clock
     */
    RequestTimeout(Channel channel, EventLoop loop, LongSupplier nanos) {
        this.channel = channel;
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
            pendingRequest.fail(pendingRequest.timeoutException());
            var _ = channel.close();
        }
    }
}
