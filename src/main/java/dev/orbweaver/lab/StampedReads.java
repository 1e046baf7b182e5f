package dev.orbweaver.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Notes when what a connection reads came in. Netty asks for a buffer right before each read: the
 * one moment at which the kernel can still be asked about the bytes that the read will take.
 *
 * <p>Netty also tries to read when there is nothing, to find out that there is nothing. On a busy
 * machine the thread may stand still between the question and the read, and a request that comes in
 * then is read without a stamp. All that can be said of it is that it came after the question and
 * before the read's return; so that is what is said.
 *
 * <p>When a client closes its connection, or is killed, before its request was read, the kernel
 * joins the end to the request and keeps the end's stamp. Of such a request it is known that it
 * came before that, and after the last moment at which there was nothing to be read.
 */
final class StampedReads implements RecvByteBufAllocator {

    private final RecvByteBufAllocator buffers =
            new AdaptiveRecvByteBufAllocator(512, 2_048, 65_536);

    /** What the kernel says when it has no stamp. */
    static final long NONE = Long.MIN_VALUE;

    /** A connection is accepted no later than this after its first request. */
    private static final long ACCEPTED_WITHIN = 10_000_000_000L;

    private final LongSupplier stamp;
    private final BooleanSupplier ended;
    private final LongSupplier clock;
    private long nothingAt;
    private long earliest;
    private long stampedAt;

    /**
     * Reads of one connection.
     *
     * @param stamp when the bytes that can be read now arrived, or {@link #NONE}
     * @param ended whether the other side has closed the connection by now
     * @param clock the time by the same clock
     */
    StampedReads(LongSupplier stamp, BooleanSupplier ended, LongSupplier clock) {
        this.stamp = stamp;
        this.ended = ended;
        this.clock = clock;
        this.nothingAt = clock.getAsLong() - ACCEPTED_WITHIN;
    }

    /** When the bytes read last came in at the earliest, in nanoseconds since 1970. */
    long earliest() {
        return earliest;
    }

    /** When they came in at the latest; to be asked right after the read. */
    long latest() {
        return stampedAt == NONE ? clock.getAsLong() : stampedAt;
    }

    @Override
    @SuppressWarnings("deprecation") // The interface has no other name for it yet.
    public Handle newHandle() {
        return new Stamping((ExtendedHandle) buffers.newHandle());
    }

    private final class Stamping extends DelegatingHandle implements ExtendedHandle {

        private final ExtendedHandle handle;

        Stamping(ExtendedHandle handle) {
            super(handle);
            this.handle = handle;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            var before = clock.getAsLong();
            stampedAt = stamp.getAsLong();
            if (stampedAt == NONE) {
                earliest = before;
                nothingAt = before;
            } else if (ended.getAsBoolean()) { // Asked second: the stamp may be that of the end.
                earliest = Math.min(nothingAt, stampedAt);
            } else {
                earliest = stampedAt;
                nothingAt = stampedAt;
            }
            return handle.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return handle.continueReading(maybeMoreData);
        }
    }
}
