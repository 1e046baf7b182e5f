package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
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
    private final RequestTimeout requestTimeout;
    private @Nullable PendingRequest pendingRequest;
    private volatile long idleSinceNanos;

    /**
     * @param loop the one that the channel is registered with, or will be
     */
    Connection(ConnectionPool.Slot slot, ConnectionPool pool, Channel channel, EventLoop loop) {
        this.slot = slot;
        this.pool = pool;
        this.channel = channel;
        this.loop = loop;
        this.requestTimeout = new RequestTimeout(channel, loop, System::nanoTime);
    }

    ConnectionPool.Key key() {
        return slot.key();
    }

    ConnectionPool.Slot slot() {
        return slot;
    }

    boolean isOpen() {
        return channel.isActive();
    }

    long idleSinceNanos() {
        return idleSinceNanos;
    }

    void setIdleSince(long nanos) {
        idleSinceNanos = nanos;
    }

    void send(PendingRequest next) {
        try {
            loop.execute(() -> sendOnLoop(next));
        } catch (RejectedExecutionException shutDown) {
            next.fail(closedBeforeRequest());
        }
    }

    /** On the event loop. */
    void sendOnLoop(PendingRequest next) {
        if (!channel.isActive()) {
            next.fail(closedBeforeRequest());
            return;
        }
        pendingRequest = next;
        next.start(System.nanoTime());
        armTimeout(next);
        var _ =
                channel.writeAndFlush(Unpooled.wrappedBuffer(next.request))
                        .addListener(written -> onWritten(written.cause(), next));
    }

    /** Ends the connection if the request is not over in time; on the event loop. */
    void armTimeout(PendingRequest next) {
        requestTimeout.arm(next);
    }

    private void onWritten(@Nullable Throwable failure, PendingRequest next) {
        if (failure == null) {
            next.markSent();
        } else {
            fail(failure);
            var _ = channel.close();
        }
    }

    private static BadResponseException closedBeforeRequest() {
        return new BadResponseException(FailureCause.DISCONNECT, "closed before the request");
    }

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
        requestTimeout.cancel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var bytes = (ByteBuf) message;
        try {
            var current = pendingRequest;
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

    private void read(PendingRequest current, ByteBuf bytes) {
        try {
            if (current.read(bytes)) {
                finish(current);
            }
        } catch (BadResponseException e) {
            fail(e);
        } catch (IOException e) {
            // The reader touches no network, so this is our own disk.
            fail(new BadResponseException(FailureCause.INTERNAL, "the body cannot be kept: " + e));
        }
    }

    /**
     * Completes the response. A connection that cannot be reused is closed before the requesting
     * thread is notified, so that its slot is free by the time another is acquired.
     */
    private void finish(PendingRequest current) {
        clearPending();
        if (!current.reader.isReusable()) {
            close();
        }
        current.finish();
    }

    private void clearPending() {
        pendingRequest = null;
        requestTimeout.disarm();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        var current = pendingRequest;
        if (current == null) {
            pool.removeIdle(this);
            return;
        }
        try {
            current.reader.onClosed();
            clearPending();
            current.finish();
        } catch (BadResponseException e) {
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
        var current = pendingRequest;
        clearPending();
        if (current != null) {
            current.fail(cause);
        }
    }
}
