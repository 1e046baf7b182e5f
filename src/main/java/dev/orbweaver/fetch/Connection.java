package dev.orbweaver.fetch;

import dev.orbweaver.fetch.ResponseReader.BadResponse;
import dev.orbweaver.model.FailureCause;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslCloseCompletionEvent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;

/**
 * One TCP or TLS connection, on which at most one request is under way. Bytes go from the event
 * loop straight into the request's {@link ResponseReader}; the thread that asked sleeps until the
 * reader is done.
 *
 * <p>Who may touch what: {@code pending} and the reader in it belong to the event loop. The asking
 * thread hands a request over by a task and looks at the reader again only after it was told that
 * the request is finished, which the loop does as its last act on it. So the end of a connection,
 * which the loop also learns of in order, cannot overtake the bytes that came before it. An asking
 * thread that stops waiting looks at nothing any more; it closes the connection and the body's
 * buffer, which refuses what the loop may still write.
 */
final class Connection extends ChannelInboundHandlerAdapter {

    private final ConnectionPool.Slot slot;
    private final ConnectionPool pool;
    private final Channel channel;
    private final EventLoop loop;
    private final Alarm alarm;
    private @Nullable Pending pending;
    private volatile long idleSinceNanos;

    /**
     * A connection that may still have to be made.
     *
     * @param loop the one that the channel is registered with, or will be
     */
    Connection(ConnectionPool.Slot slot, ConnectionPool pool, Channel channel, EventLoop loop) {
        this.slot = slot;
        this.pool = pool;
        this.channel = channel;
        this.loop = loop;
        this.alarm = new Alarm(channel, loop, System::nanoTime);
    }

    ConnectionPool.Key key() {
        return slot.key();
    }

    ConnectionPool.Slot slot() {
        return slot;
    }

    boolean open() {
        return channel.isActive();
    }

    long idleSinceNanos() {
        return idleSinceNanos;
    }

    void idleSince(long nanos) {
        idleSinceNanos = nanos;
    }

    /** Sends a request; its answer goes to its reader. */
    void send(Pending next) {
        try {
            loop.execute(() -> begin(next));
        } catch (RejectedExecutionException shutDown) {
            next.fail(closedBefore());
        }
    }

    /** The same on the event loop. */
    void begin(Pending next) {
        if (!channel.isActive()) {
            next.fail(closedBefore());
            return;
        }
        pending = next;
        next.begin(System.nanoTime());
        watch(next);
        var _ =
                channel.writeAndFlush(Unpooled.wrappedBuffer(next.request))
                        .addListener(written -> written(written.cause(), next));
    }

    /** Ends the connection if the request is not over in time; on the event loop. */
    void watch(Pending next) {
        alarm.watch(next);
    }

    private void written(@Nullable Throwable failure, Pending next) {
        if (failure == null) {
            next.sent();
        } else {
            fail(failure);
            var _ = channel.close();
        }
    }

    private static BadResponse closedBefore() {
        return new BadResponse(FailureCause.DISCONNECT, "closed before the request");
    }

    /** Ends the connection, or the making of it. */
    void close() {
        if (channel.isRegistered()) {
            var _ = channel.close();
            return;
        }
        try {
            // The task that dials was there first, so the channel is registered by then or never.
            loop.execute(this::closeRegistered);
        } catch (RejectedExecutionException shutDown) {
            closeRegistered(); // A loop closes its channels when it ends.
        }
    }

    private void closeRegistered() {
        if (channel.isRegistered()) {
            var _ = channel.close();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        alarm.cancel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var bytes = (ByteBuf) message;
        try {
            var current = pending;
            if (current == null) {
                // Nobody asked: an answer to nothing must not meet the next request.
                var _ = context.close();
            } else {
                read(current, bytes);
            }
        } finally {
            bytes.release();
        }
    }

    private void read(Pending current, ByteBuf bytes) {
        try {
            if (current.read(bytes)) {
                finish(current);
            }
        } catch (BadResponse e) {
            fail(e);
        } catch (IOException e) {
            // The reader touches no network, so this is our own disk.
            fail(new BadResponse(FailureCause.INTERNAL, "the body cannot be kept: " + e));
        }
    }

    /**
     * The answer is complete. A connection that cannot serve another request is closed right here,
     * before the asking thread is told: that saves it the way back to this loop, and its place is
     * free by the time it wants one.
     */
    private void finish(Pending current) {
        release();
        if (!current.reader.reusable()) {
            close();
        }
        current.finish();
    }

    private void release() {
        pending = null;
        alarm.rest();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        var current = pending;
        if (current == null) {
            pool.forget(this);
            return;
        }
        try {
            current.reader.closed();
            release();
            current.finish();
        } catch (BadResponse e) {
            fail(e);
        }
    }

    /** After TLS has said its farewell no request would be answered, whatever TCP still does. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslCloseCompletionEvent) {
            var _ = context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Netty wraps what its TLS decoder throws.
        fail(cause.getCause() instanceof IOException inner ? inner : cause);
        var _ = context.close();
    }

    private void fail(Throwable cause) {
        var current = pending;
        release();
        if (current != null) {
            current.fail(cause);
        }
    }
}
