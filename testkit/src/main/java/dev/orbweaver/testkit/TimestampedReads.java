package dev.orbweaver.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Records when what a connection reads arrived. Netty asks for a buffer right before each read: the
 * one moment at which the kernel can still be asked about the bytes that the read will take.
 *
 * <p>Netty also tries to read when there is nothing. On a busy machine the thread may pause between
 * the question and the read, and a request that arrives then is read without a stamp. It came after
 * the question and before the read's return, and that is what is recorded.
 *
 * <p>When a client closes its connection, or is killed, before its request was read, the kernel
 * joins the end to the request and keeps the end's stamp. Such a request came before that, and
 * after the last moment at which there was nothing to be read.
 */
final class TimestampedReads implements RecvByteBufAllocator {

    private final RecvByteBufAllocator buffers =
            new AdaptiveRecvByteBufAllocator(512, 2_048, 65_536);

    /** No stamp. */
    static final long NONE = Long.MIN_VALUE;

    /** A connection is accepted no later than this after its first request. */
    private static final long ACCEPT_NANOS_MAX = 10_000_000_000L;

    private final LongSupplier timestamp;
    private final BooleanSupplier closed;
    private final LongSupplier clock;
    private long emptyNanos;
    private long earliest;
    private long timestampNanos;

    /**
     * @param stamp when the bytes that can be read now arrived, or {@link #NONE}
     * @param ended whether the client has closed the connection
     * @param clock the time by the same clock
     */
    TimestampedReads(LongSupplier stamp, BooleanSupplier ended, LongSupplier clock) {
        this.timestamp = stamp;
        this.closed = ended;
        this.clock = clock;
        this.emptyNanos = clock.getAsLong() - ACCEPT_NANOS_MAX;
    }

    /** When the bytes read last arrived at the earliest, in nanoseconds since 1970. */
    long earliest() {
        return earliest;
    }

    /** When they arrived at the latest; to be called right after the read. */
    long latest() {
        return timestampNanos == NONE ? clock.getAsLong() : timestampNanos;
    }

    @Override
    @SuppressWarnings("deprecation") // The interface has no other name for it yet.
    public Handle newHandle() {
        return new TimestampingHandle((ExtendedHandle) buffers.newHandle());
    }

    private final class TimestampingHandle extends DelegatingHandle implements ExtendedHandle {

        private final ExtendedHandle handle;

        TimestampingHandle(ExtendedHandle handle) {
            super(handle);
            this.handle = handle;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            var before = clock.getAsLong();
            timestampNanos = timestamp.getAsLong();
            if (timestampNanos == NONE) {
                earliest = before;
                emptyNanos = before;
            } else if (closed.getAsBoolean()) { // Asked second: the stamp may be that of the end.
                earliest = Math.min(emptyNanos, timestampNanos);
            } else {
                earliest = timestampNanos;
                emptyNanos = timestampNanos;
            }
            return handle.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return handle.continueReading(maybeMoreData);
        }
    }
}
