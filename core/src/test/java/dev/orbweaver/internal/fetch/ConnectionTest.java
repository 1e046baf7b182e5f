package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.fetch.ConnectionPool.Acquired;
import dev.orbweaver.internal.fetch.FetchSettings.ConnectionLimits;
import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.testing.Eventually;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The order of events between a connection and the pool, one step at a time. */
class ConnectionTest {

    private static final ConnectionPool.Key KEY =
            new ConnectionPool.Key(InetAddress.getLoopbackAddress(), 80, "");
    private static final ConnectionPool.Key OTHER =
            new ConnectionPool.Key(InetAddress.getLoopbackAddress(), 80, "a.example");
    private static final long NOW = System.nanoTime();
    private static final byte[] REQUEST = "GET / HTTP/1.1\r\n\r\n".getBytes(ISO_8859_1);

    @TempDir Path directory;
    private final ConnectionPool pool =
            new ConnectionPool(new ConnectionLimits(3, 2, Duration.ofSeconds(30)), false);

    @Test
    void aRequestOnAConnectionAlreadyClosedFailsAtOnce() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        var _ = channel.close();
        channel.runPendingTasks();
        var pendingRequest = sent(connection, reader(), () -> {});
        channel.runPendingTasks();
        assertThat(failure(pendingRequest)).isEqualTo(FailureCause.DISCONNECT);
        assertThat(pendingRequest.isStarted()).isFalse();
    }

    @Test
    void aRequestCountsAsSentOnlyOnceItsBytesAreOut() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        var outWhenSent = new ArrayList<Integer>();
        var _ =
                sent(
                        connection,
                        reader(),
                        () -> outWhenSent.add(channel.outboundMessages().size()));
        channel.runPendingTasks();
        assertThat(outWhenSent).containsExactly(1);
    }

    @Test
    void aRequestThatCannotBeWrittenFailsAndNeverCountsAsSent() {
        var broken =
                new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void write(
                            ChannelHandlerContext context, Object bytes, ChannelPromise promise) {
                        var _ = promise.setFailure(new IOException("broken pipe"));
                    }
                };
        var channel = new EmbeddedChannel(broken);
        var connection = on(channel);
        var sent = new ArrayList<byte[]>();
        var pendingRequest = sent(connection, reader(), () -> sent.add(REQUEST));
        channel.runPendingTasks();
        assertThat(pendingRequest.finished).isCompletedExceptionally();
        assertThat(channel.isOpen()).isFalse();
        assertThat(sent).isEmpty();
    }

    @Test
    void aConnectionThatClosesBeforeItsRequestIsWrittenFailsIt() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        var pendingRequest = sent(connection, reader(), () -> {});
        var _ = channel.close();
        channel.runPendingTasks();
        assertThat(failure(pendingRequest)).isEqualTo(FailureCause.DISCONNECT);
        assertThat(pendingRequest.reader.hasStarted()).isFalse();
    }

    @Test
    void anAnswerThatEndsByClosingIsCompleteWhenTheCloseIsKnown() throws IOException {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        var pendingRequest = sent(connection, reader(), () -> {});
        channel.runPendingTasks();
        channel.writeInbound(bytes("HTTP/1.1 200 OK\r\n\r\nall"));
        assertThat(pendingRequest.finished).isNotDone();
        var _ = channel.close();
        channel.runPendingTasks();
        assertThat(pendingRequest.finished).isCompleted();
        assertThat(ResponseReads.text(pendingRequest.reader.body())).isEqualTo("all");
    }

    @Test
    void aConnectionThatServesNoMoreIsClosedBeforeTheCallerIsTold() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        var pendingRequest = sent(connection, reader(), () -> {});
        channel.runPendingTasks();
        var openWhenTold = new ArrayList<Boolean>();
        var _ = pendingRequest.finished.thenRun(() -> openWhenTold.add(channel.isOpen()));
        channel.writeInbound(
                bytes("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
        assertThat(openWhenTold).containsExactly(false);
    }

    @Test
    void aConnectionThatMayServeAgainStaysOpen() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        var pendingRequest = sent(connection, reader(), () -> {});
        channel.runPendingTasks();
        channel.writeInbound(bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        assertThat(pendingRequest.finished).isCompleted();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void bytesThatComeAfterTheBodyWasGivenUpAreRefusedAndReleased() throws IOException {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        var buffer = new SpillBuffer(directory);
        var pendingRequest =
                sent(
                        connection,
                        new ResponseReader(4096, 1 << 20, buffer, Fetcher.HeadFilter.ACCEPT_ALL),
                        () -> {});
        channel.runPendingTasks();
        channel.writeInbound(bytes("HTTP/1.1 200 OK\r\n\r\n"));
        buffer.close();
        var late = Unpooled.wrappedBuffer(new byte[SpillBuffer.MEMORY_MAX + 1]);
        channel.writeInbound(late);
        assertThat(late.refCnt()).isZero();
        assertThat(failure(pendingRequest)).isEqualTo(FailureCause.INTERNAL);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void bytesThatNobodyAskedForCloseTheConnection() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        pool.release(connection, 0);
        channel.writeInbound(bytes("HTTP/1.1 200 OK\r\n\r\n"));
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(pool.idleCount()).isZero();
    }

    @Test
    void anErrorOnAWaitingConnectionClosesAndForgetsIt() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        pool.release(connection, 0);
        channel.pipeline().fireExceptionCaught(new IOException("reset"));
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(pool.idleCount()).isZero();
    }

    @Test
    void aWaitingConnectionThatClosesIsForgotten() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        pool.release(connection, 0);
        assertThat(pool.idleCount()).isEqualTo(1);
        var _ = channel.close();
        channel.runPendingTasks();
        assertThat(pool.idleCount()).isZero();
        pool.release(connection, 0);
        assertThat(pool.idleCount()).isZero();
    }

    @Test
    void theConnectionUsedLastIsTakenFirstAndEachOnlyOnce() throws Exception {
        var first = open();
        var second = open();
        pool.release(first, 1);
        pool.release(second, 2);
        assertThat(pool.acquire(KEY, NOW)).isEqualTo(new Acquired.Reused(second));
        assertThat(pool.acquire(KEY, NOW)).isEqualTo(new Acquired.Reused(first));
        assertThatThrownBy(() -> pool.acquire(KEY, NOW)).isInstanceOf(TimeoutException.class);
        assertThat(pool.acquire(OTHER, NOW)).isInstanceOf(Acquired.NewConnection.class);
    }

    @Test
    void noPlaceGetsMoreThanItsShareAndAllNoMoreThanThereMayBe() throws Exception {
        var here = (Acquired.NewConnection) pool.acquire(KEY, NOW);
        assertThat(pool.acquire(KEY, NOW)).isInstanceOf(Acquired.NewConnection.class);
        assertThatThrownBy(() -> pool.acquire(KEY, NOW)).isInstanceOf(TimeoutException.class);
        assertThat(pool.acquire(OTHER, NOW)).isInstanceOf(Acquired.NewConnection.class);
        assertThatThrownBy(() -> pool.acquire(OTHER, NOW)).isInstanceOf(TimeoutException.class);
        here.slot().release();
        here.slot().release(); // A second call has no effect.
        assertThat(pool.acquire(OTHER, NOW)).isInstanceOf(Acquired.NewConnection.class);
        assertThatThrownBy(() -> pool.acquire(KEY, NOW)).isInstanceOf(TimeoutException.class);
        assertThat(pool.openCount()).isEqualTo(3);
    }

    @Test
    void aConnectionThatOnlyWaitsMakesRoomForAnother() throws Exception {
        var oldest = open();
        var newest = open();
        pool.release(oldest, 1);
        pool.release(newest, 2);
        assertThat(pool.acquire(OTHER, NOW)).isInstanceOf(Acquired.NewConnection.class);
        assertThat(oldest.isOpen()).isTrue();
        assertThat(pool.acquire(OTHER, NOW)).isInstanceOf(Acquired.NewConnection.class);
        assertThat(oldest.isOpen()).isFalse();
        assertThat(newest.isOpen()).isTrue();
        assertThat(pool.openCount()).isEqualTo(3);
    }

    @Test
    @Timeout(60)
    void whoeverWaitsGetsWhatBecomesFree() throws Exception {
        var busy = open();
        var _ = open();
        var waiting = new FutureTask<>(() -> pool.acquire(KEY, NOW + TimeUnit.HOURS.toNanos(1)));
        var thread = Thread.startVirtualThread(waiting);
        Eventually.until("the thread waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        pool.release(busy, 1);
        assertThat(waiting.get()).isEqualTo(new Acquired.Reused(busy));
    }

    @Test
    void whatHasWaitedTooLongIsClosedAndTheRestStays() {
        var old = open();
        var fresh = open();
        pool.release(old, 0);
        pool.release(fresh, Duration.ofSeconds(20).toNanos());
        pool.closeIdle(Duration.ofSeconds(31).toNanos());
        assertThat(old.isOpen()).isFalse();
        assertThat(fresh.isOpen()).isTrue();
        assertThat(pool.idleCount()).isEqualTo(1);
    }

    @Test
    void whereAKeptConnectionBrokeNothingIsKeptForAWhile() {
        var waiting = open();
        pool.release(waiting, 0);
        pool.disableReuse(KEY, 0);
        assertThat(waiting.isOpen()).isFalse();
        var soon = open();
        pool.release(soon, Duration.ofMinutes(9).toNanos());
        assertThat(soon.isOpen()).isFalse();
        var later = open();
        pool.release(later, Duration.ofMinutes(10).toNanos());
        assertThat(later.isOpen()).isTrue();
        assertThat(pool.idleCount()).isEqualTo(1);
    }

    @Test
    void theFarewellOfTlsEndsAConnection() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        pool.release(connection, 0);
        channel.pipeline().fireUserEventTriggered(SslCloseCompletionEvent.SUCCESS);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThat(pool.idleCount()).isZero();
    }

    @Test
    void aClosedPoolKeepsNothing() {
        var waiting = open();
        pool.release(waiting, 0);
        pool.closeAll();
        var late = open();
        pool.release(late, 0);
        assertThat(waiting.isOpen()).isFalse();
        assertThat(late.isOpen()).isFalse();
        assertThat(pool.idleCount()).isZero();
    }

    private Connection on(EmbeddedChannel channel) {
        var connection = new Connection(slot(), pool, channel, channel.eventLoop());
        channel.pipeline().addLast(connection);
        return connection;
    }

    private static PendingRequest sent(
            Connection connection, ResponseReader reader, Runnable sent) {
        var hour = Duration.ofHours(1);
        var timeouts = new FetchSettings.Timeouts(hour, hour, hour, hour);
        var pendingRequest = new PendingRequest(REQUEST, reader, sent, timeouts, System.nanoTime());
        connection.send(pendingRequest);
        return pendingRequest;
    }

    private ConnectionPool.Slot slot() {
        try {
            return ((Acquired.NewConnection) pool.acquire(KEY, System.nanoTime())).slot();
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Connection open() {
        var channel = new EmbeddedChannel();
        var connection = on(channel);
        assertThat(channel.isActive()).isTrue();
        channel.closeFuture().addListener(_ -> connection.slot().release());
        return connection;
    }

    private ResponseReader reader() {
        return new ResponseReader(
                4096, 1 << 20, new SpillBuffer(directory), Fetcher.HeadFilter.ACCEPT_ALL);
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, ISO_8859_1);
    }

    private static FailureCause failure(PendingRequest pendingRequest) {
        assertThat(pendingRequest.finished).isCompletedExceptionally();
        return ((BadResponseException) pendingRequest.finished.exceptionNow()).failure();
    }
}
