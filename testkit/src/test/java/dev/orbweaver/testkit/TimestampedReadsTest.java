package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.testing.Eventually;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Tests the interval recorded for the arrival of a request. */
class TimestampedReadsTest {

    private final AtomicLong kernel = new AtomicLong(TimestampedReads.NONE);
    private final AtomicLong clock = new AtomicLong(100);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final TimestampedReads reads =
            new TimestampedReads(kernel::get, ended::get, clock::get);

    private void aboutToRead() {
        reads.newHandle().allocate(UnpooledByteBufAllocator.DEFAULT).release();
    }

    @Test
    void aTimestampIsIndependentOfTheTimeOfTheRead() {
        kernel.set(42);
        aboutToRead();
        clock.set(900);
        assertThat(reads.earliest()).isEqualTo(42);
        assertThat(reads.latest()).isEqualTo(42);
    }

    @Test
    void aRequestBetweenQueryAndReadHasAnInterval() {
        aboutToRead();
        clock.set(900);
        assertThat(reads.earliest()).isEqualTo(100);
        assertThat(reads.latest()).isEqualTo(900);
    }

    @Test
    void theTimestampOfARequestReadAfterTheEndOfItsConnectionIsThatOfTheEnd() {
        clock.set(300);
        aboutToRead(); // No data yet.
        kernel.set(700);
        ended.set(true);
        clock.set(900);
        aboutToRead();
        assertThat(reads.earliest()).isEqualTo(300);
        assertThat(reads.latest()).isEqualTo(700);
    }

    @Test
    void linuxMovesTheTimestampAsDocumented() throws Exception {
        assumeTrue(Epoll.isAvailable(), "Linux");
        var listening = Socket.newSocketStream();
        listening.setIntOpt(1, KernelTimestamp.SO_TIMESTAMPNS, 1);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listening.listen(1);
        var client = new java.net.Socket();
        client.connect(listening.localAddress());
        var accepted = listening.accept(new byte[64]);
        try {
            var kernelsWord = new KernelTimestamp();
            client.getOutputStream().write(1);
            await(() -> kernelsWord.arrivalNanos(accepted) != TimestampedReads.NONE);
            var sent = kernelsWord.arrivalNanos(accepted);
            assertThat(kernelsWord.isClosed(accepted)).isFalse();
            client.close();
            await(() -> kernelsWord.isClosed(accepted));
            assertThat(kernelsWord.arrivalNanos(accepted)).isGreaterThan(sent);
        } finally {
            new FileDescriptor(accepted).close();
            listening.close();
        }
    }

    private static void await(BooleanSupplier what) {
        Eventually.until("the condition of this test", what::getAsBoolean);
    }
}
