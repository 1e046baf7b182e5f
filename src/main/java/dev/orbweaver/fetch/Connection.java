package dev.orbweaver.fetch;

import dev.orbweaver.fetch.ResponseReader.BadResponse;
import dev.orbweaver.model.FailureCause;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * One TCP or TLS connection, on which at most one request is under way. Bytes go from the event
 * loop straight into the request's {@link ResponseReader}; the thread that asked sleeps until the
 * reader is done.
 */
final class Connection extends ChannelInboundHandlerAdapter {

    /** One request under way. */
    static final class Pending {
        final ResponseReader reader;
        final CompletableFuture<Void> finished = new CompletableFuture<>();
        private volatile long firstByteNanos;

        Pending(ResponseReader reader) {
            this.reader = reader;
        }

        /** When the first byte of the answer came, by the monotonic clock; 0 while none has. */
        long firstByteNanos() {
            return firstByteNanos;
        }
    }

    private final ConnectionPool.Key key;
    private final ConnectionPool pool;
    private volatile @Nullable Pending pending;
    private volatile @Nullable Channel channel;
    private volatile long idleSinceNanos;

    Connection(ConnectionPool.Key key, ConnectionPool pool) {
        this.key = key;
        this.pool = pool;
    }

    ConnectionPool.Key key() {
        return key;
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

    /** Sends a request; its answer goes to the reader. */
    Pending send(byte[] request, ResponseReader reader) {
        var next = new Pending(reader);
        pending = next;
        var current = channel;
        if (current == null) {
            throw new IllegalStateException("not connected");
        }
        var _ = current.writeAndFlush(Unpooled.wrappedBuffer(request), current.voidPromise());
        if (!current.isActive()) {
            fail(new BadResponse(FailureCause.DISCONNECT, "closed before the request"));
        }
        return next;
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
                var _ = context.close(); // Nobody asked: an answer to nothing must not meet the
                // next
                // request.
                return;
            }
            if (current.firstByteNanos == 0) {
                current.firstByteNanos = System.nanoTime();
            }
            current.reader.read(bytes);
            if (current.reader.done()) {
                pending = null;
                current.finished.complete(null);
            }
        } catch (IOException e) {
            fail(e);
        } finally {
            bytes.release();
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
        } catch (IOException e) {
            fail(e);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause);
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
