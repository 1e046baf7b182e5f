package dev.orbweaver.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicLong;

/** What is known of when a request came is said, and no more. */
class StampedReadsTest {

    private final AtomicLong kernel = new AtomicLong(StampedReads.NONE);
    private final AtomicLong clock = new AtomicLong(100);
    private final StampedReads reads = new StampedReads(kernel::get, clock::get);

    private void aboutToRead() {
        reads.newHandle().allocate(UnpooledByteBufAllocator.DEFAULT).release();
    }

    @Test
    void aStampIsTheTimeHoweverLateTheRead() {
        kernel.set(42);
        aboutToRead();
        clock.set(900);
        assertThat(reads.earliest()).isEqualTo(42);
        assertThat(reads.latest()).isEqualTo(42);
    }

    @Test
    void whatComesBetweenTheQuestionAndTheReadCameSomewhereBetween() {
        aboutToRead();
        clock.set(900);
        assertThat(reads.earliest()).isEqualTo(100);
        assertThat(reads.latest()).isEqualTo(900);
    }
}
