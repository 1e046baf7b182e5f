package dev.orbweaver.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Records when the bytes that a connection reads arrived. Netty allocates a buffer right before
 * each read, which is the last moment to query the kernel for the timestamp of those bytes.
 *
 * <p>Netty also tries to read when no data is available. On a busy machine the thread may pause
 * between the query and the read, and a request that arrives then is read without a timestamp. It
 * arrived after the query and before the read returned, and this interval is recorded.
 *
 * <p>If a client closes its connection, or is killed, before its request was read, the kernel
 * merges the FIN with the request and keeps the timestamp of the FIN. Such a request arrived before
 * it, and after the last query without data.
 */
final class TimestampedReads implements RecvByteBufAllocator {

    private final RecvByteBufAllocator buffers =
            new AdaptiveRecvByteBufAllocator(512, 2_048, 65_536);

    /** No timestamp. */
    static final long NONE = Long.MIN_VALUE;

    /** The maximum time between the first request of a connection and its accept. */
    private static final long ACCEPT_NANOS_MAX = 10_000_000_000L;

    private final LongSupplier timestamp;
    private final BooleanSupplier closed;
    private final LongSupplier clock;
    private long emptyNanos;
    private long earliest;
    private long timestampNanos;

    /**
     * @param stamp returns when the readable bytes arrived, or {@link #NONE}
     * @param ended returns whether the client has closed the connection
     * @param clock returns the current time of the same clock
     */
    TimestampedReads(LongSupplier stamp, BooleanSupplier ended, LongSupplier clock) {
        this.timestamp = stamp;
        this.closed = ended;
        this.clock = clock;
        this.emptyNanos = clock.getAsLong() - ACCEPT_NANOS_MAX;
    }

    /** The earliest arrival of the bytes read last, in nanoseconds since 1970. */
    long earliest() {
        return earliest;
    }

    /** The latest arrival of these bytes; must be called right after the read. */
    long latest() {
        return timestampNanos == NONE ? clock.getAsLong() : timestampNanos;
    }

    @Override
    @SuppressWarnings("deprecation") // The interface has no replacement yet.
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
            } else if (closed
                    .getAsBoolean()) { // Checked second: the timestamp may be that of the FIN.
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
