package dev.orbweaver.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

import java.util.function.LongSupplier;

/**
 * Notes when what a connection reads came in. Netty asks for a buffer right before each read: the
 * one moment at which the kernel can still be asked about the bytes that the read will take.
 */
final class StampedReads implements RecvByteBufAllocator {

    private final RecvByteBufAllocator buffers =
            new AdaptiveRecvByteBufAllocator(512, 2_048, 65_536);
    private final LongSupplier stamp;
    private long nanos;

    /**
     * Reads of one connection.
     *
     * @param stamp when the bytes that can be read now arrived
     */
    StampedReads(LongSupplier stamp) {
        this.stamp = stamp;
    }

    /** When the bytes read last came in, in nanoseconds since 1970. */
    long nanos() {
        return nanos;
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
            nanos = stamp.getAsLong();
            return handle.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return handle.continueReading(maybeMoreData);
        }
    }
}
