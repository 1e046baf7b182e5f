package dev.orbweaver.internal.fetch;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Ends a connection whose request is late. Belongs to the connection's event loop.
 *
 * <p>Almost every deadline is met, so setting one must cost nothing. Deadlines of a connection only
 * move forward. So there is one timer, left alone while it fires early enough; when it fires too
 * early, it is set again. A connection with a thousand requests a second sets it every few seconds.
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

    /** Ends the request by its deadline, which may have moved. */
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

    /** The timer must not outlive its connection. */
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
