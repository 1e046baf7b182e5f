package dev.orbweaver.fetch;

import dev.orbweaver.fetch.ResponseReader.BadResponse;
import dev.orbweaver.model.FailureCause;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * One TCP or TLS connection, on which at most one request is under way. Bytes go from the event
 * loop straight into the request's {@link ResponseReader}; the thread that asked sleeps until the
 * reader is done.
 *
 * <p>Who may touch what: {@code pending} and the reader in it belong to the event loop. The asking
 * thread hands a request over by a task and looks at the reader again only after {@code finished}
 * was completed, which the loop does as its last act on it. So the end of a connection, which the
 * loop also learns of in order, cannot overtake the bytes that came before it. An asking thread
 * that stops waiting looks at nothing any more; it closes the connection and the body's buffer,
 * which refuses what the loop may still write.
 */
final class Connection extends ChannelInboundHandlerAdapter {

    /** One request under way. */
    static final class Pending {
        final ResponseReader reader;
        final CompletableFuture<Void> finished = new CompletableFuture<>();
        private volatile long firstByteNanos;
        private volatile boolean begun;

        Pending(ResponseReader reader) {
            this.reader = reader;
        }

        /**
         * Whether any of the request may have gone out. While not, another connection can be tried
         * and nobody will have been asked twice.
         */
        boolean begun() {
            return begun;
        }

        /** When the first byte of the answer came, by the monotonic clock; 0 while none has. */
        long firstByteNanos() {
            return firstByteNanos;
        }
    }

    private final ConnectionPool.Slot slot;
    private final ConnectionPool pool;
    private @Nullable Pending pending;
    private volatile @Nullable Channel channel;
    private volatile long idleSinceNanos;

    Connection(ConnectionPool.Slot slot, ConnectionPool pool) {
        this.slot = slot;
        this.pool = pool;
    }

    ConnectionPool.Key key() {
        return slot.key();
    }

    ConnectionPool.Slot slot() {
        return slot;
    }

    boolean open() {
        var current = channel;
        return current != null && current.isActive();
    }

    long idleSinceNanos() {
        return idleSinceNanos;
    }

    void idleSince(long nanos) {
        idleSinceNanos = nanos;
    }

    /**
     * Sends a request; its answer goes to the reader.
     *
     * @param sent run on the event loop once the bytes are with the kernel: a thread can stand
     *     still for longer than a delay between reading the clock and writing, so a time read
     *     before the write may be too early, one read after it never is
     */
    Pending send(byte[] request, ResponseReader reader, Runnable sent) {
        var current = channel;
        if (current == null) {
            throw new IllegalStateException("not connected");
        }
        var next = new Pending(reader);
        try {
            current.eventLoop().execute(() -> begin(current, request, next, sent));
        } catch (RejectedExecutionException shutDown) {
            next.finished.completeExceptionally(closedBefore());
        }
        return next;
    }

    private void begin(Channel current, byte[] request, Pending next, Runnable sent) {
        if (!current.isActive()) {
            next.finished.completeExceptionally(closedBefore());
            return;
        }
        pending = next;
        next.begun = true;
        var _ =
                current.writeAndFlush(Unpooled.wrappedBuffer(request))
                        .addListener(written -> written(current, written.cause(), sent));
    }

    private void written(Channel current, @Nullable Throwable failure, Runnable sent) {
        if (failure == null) {
            sent.run();
        } else {
            fail(failure);
            var _ = current.close();
        }
    }

    private static BadResponse closedBefore() {
        return new BadResponse(FailureCause.DISCONNECT, "closed before the request");
    }

    void close() {
        var current = channel;
        if (current != null) {
            var _ = current.close();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
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
        if (current.firstByteNanos == 0) {
            current.firstByteNanos = System.nanoTime();
        }
        try {
            current.reader.read(bytes);
            if (current.reader.done()) {
                pending = null;
                current.finished.complete(null);
            }
        } catch (BadResponse e) {
            fail(e);
        } catch (IOException e) {
            // The reader touches no network, so this is our own disk.
            fail(new BadResponse(FailureCause.INTERNAL, "the body cannot be kept: " + e));
        }
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
            pending = null;
            current.finished.complete(null);
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
        pending = null;
        if (current != null) {
            current.finished.completeExceptionally(cause);
        }
    }
}
