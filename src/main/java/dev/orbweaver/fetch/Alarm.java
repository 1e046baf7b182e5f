package dev.orbweaver.fetch;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Ends a connection whose request is late. Belongs to the connection's event loop.
 *
 * <p>Almost every deadline is met, so setting one must cost nothing. Deadlines of one connection
 * move forward: from step to step, and from request to request. So there is one timer, left alone
 * while it rings early enough; when it rings too early, it is set again for the time that is then
 * right. A connection that serves a thousand requests a second has its timer set every few seconds.
 */
final class Alarm {

    private final Channel channel;
    private final EventLoop loop;
    private final LongSupplier nanos;
    private @Nullable Pending watched;
    private @Nullable Future<?> timer;
    private long timerNanos;

    /**
     * Set for nothing yet.
     *
     * @param nanos the monotonic clock
     */
    Alarm(Channel channel, EventLoop loop, LongSupplier nanos) {
        this.channel = channel;
        this.loop = loop;
        this.nanos = nanos;
    }

    /** Sees to it that the request ends by its deadline, which may have moved. */
    void watch(Pending pending) {
        watched = pending;
        if (timer == null) {
            set(pending.deadlineNanos());
        } else if (timerNanos - pending.deadlineNanos() > 0) {
            timer.cancel(false);
            set(pending.deadlineNanos());
        }
    }

    /** Nothing is waited for. */
    void rest() {
        watched = null;
    }

    /** The connection has ended; its timer must not outlive it. */
    void cancel() {
        watched = null;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void set(long deadlineNanos) {
        timerNanos = deadlineNanos;
        var left = Math.max(0, deadlineNanos - nanos.getAsLong());
        timer = loop.schedule(this::ring, left, TimeUnit.NANOSECONDS);
    }

    private void ring() {
        timer = null;
        var pending = watched;
        if (pending == null) {
            return;
        }
        if (pending.deadlineNanos() - nanos.getAsLong() > 0) {
            set(pending.deadlineNanos());
        } else {
            watched = null;
            pending.fail(pending.lateness());
            var _ = channel.close();
        }
    }
}
