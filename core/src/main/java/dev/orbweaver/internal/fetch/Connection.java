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
 * One TCP or TLS connection with at most one request in flight, or several if ALPN selects HTTP/2:
 * then {@link Http2Streams} takes its place in the pipeline. The event loop passes bytes directly
 * to the request's {@link ResponseReader}; the requesting thread sleeps until the reader is done.
 *
 * <p>Ownership: {@code pending} and its reader belong to the event loop. The requesting thread
 * submits a request as a task, and accesses the reader again only after the request was completed,
 * which is the last thing the loop does with it. The loop also processes the end of a connection in
 * order, so it cannot overtake bytes received before. A requesting thread that stops waiting
 * accesses nothing any more; it closes the connection and the body's buffer, which rejects further
 * writes of the loop.
 */
final class Connection extends ChannelInboundHandlerAdapter {

    private final ConnectionPool.Slot slot;
    private final ConnectionPool pool;
    private final Channel channel;
    private final EventLoop loop;
    private final RequestTimeout requestTimeout;
    private @Nullable PendingRequest pendingRequest;
    private @Nullable Http2Streams http2;
    private volatile long idleSinceNanos;

    /**
     * @param loop the loop that the channel is or will be registered with
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

    /** Uses HTTP/2 from now on. Called on the event loop, before the first request. */
    void startHttp2(int headBytesMax) {
        http2 = Http2Streams.start(this, pool, channel, loop, headBytesMax);
    }

    /** Sends a request. Called on the event loop. */
    void sendOnLoop(PendingRequest next) {
        if (http2 != null) {
            http2.send(next);
            return;
        }
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

    /** Closes the connection if the request is not complete in time. Called on the event loop. */
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

    static BadResponseException closedBeforeRequest() {
        return new BadResponseException(
                FailureCause.DISCONNECT, "connection closed before the request");
    }

    /** Ends a request that failed or whose thread no longer waits, and what it occupies. */
    void abandon(PendingRequest abandoned) {
        if (abandoned.finished.isDone() && !abandoned.isHttp2()) {
            close();
            return;
        }
        try {
            loop.execute(() -> abandonOnLoop(abandoned));
        } catch (RejectedExecutionException shutDown) {
            closeRegistered(); // The loop has ended, which closes its channels.
        }
    }

    private void abandonOnLoop(PendingRequest abandoned) {
        if (http2 == null) {
            closeRegistered();
        } else {
            http2.cancel(abandoned);
        }
    }

    void close() {
        if (channel.isRegistered()) {
            var _ = channel.close();
            return;
        }
        try {
            // The task that connects was queued earlier, so the channel is registered by then or
            // never.
            loop.execute(this::closeRegistered);
        } catch (RejectedExecutionException shutDown) {
            closeRegistered(); // The loop has ended, which closes its channels.
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
                // No request is pending: this response must not be taken for that of the next
                // request.
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
            // The reader does no network I/O, so this is an error of the local disk.
            fail(new BadResponseException(FailureCause.INTERNAL, "could not store the body: " + e));
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

    /**
     * Closes the connection after a TLS close notification, because no response can follow on it.
     */
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
