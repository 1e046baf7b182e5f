package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.internal.fetch.PendingRequest.Step;
import dev.orbweaver.spi.Fetcher;

import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** When the timeout fires, with a clock that only the test moves. */
class RequestTimeoutTest {

    private static final long NO_TIMER = -1;

    @TempDir Path directory;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private long seconds;
    private final RequestTimeout requestTimeout =
            new RequestTimeout(
                    channel, channel.eventLoop(), () -> TimeUnit.SECONDS.toNanos(seconds));

    @BeforeEach
    void stopTheClock() {
        channel.freezeTime();
    }

    @Test
    void aRequestThatIsLateFailsAndEndsItsConnection() {
        var pendingRequest = started();
        advance(19);
        assertThat(pendingRequest.finished).isNotDone();
        advance(1);
        assertThat(pendingRequest.finished.exceptionNow())
                .isInstanceOf(TimeoutException.class)
                .hasMessage("timed out waiting for the response");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aDeadlineThatHasMovedOnIsWaitedFor() {
        var pendingRequest = started();
        advance(10);
        pendingRequest.enterStep(Step.LAST_BYTE, now());
        advance(49);
        assertThat(pendingRequest.finished).isNotDone();
        advance(1);
        assertThat(pendingRequest.finished.exceptionNow())
                .hasMessage("response not complete within 60000 ms");
    }

    @Test
    void eachStepHasItsOwnTimeAndItsOwnWords() {
        var pendingRequest = pending();
        pendingRequest.enterStep(Step.CONNECT, now());
        requestTimeout.arm(pendingRequest);
        advance(9);
        pendingRequest.enterStep(Step.TLS, now());
        advance(9);
        assertThat(pendingRequest.finished).isNotDone();
        advance(1);
        assertThat(pendingRequest.finished.exceptionNow()).hasMessage("TLS handshake timed out");
        assertThat(pendingRequest.duration(Step.CONNECT)).isEqualTo(Duration.ofSeconds(9));
        assertThat(pendingRequest.duration(Step.TLS)).isZero();
    }

    @Test
    void noStepLastsLongerThanIsLeftOfAll() {
        seconds = 55;
        var pendingRequest = startedAt(0);
        advance(4);
        assertThat(pendingRequest.finished).isNotDone();
        advance(1);
        assertThat(pendingRequest.finished).isCompletedExceptionally();
    }

    @Test
    void theNextRequestIsNotHeldToTheTimeOfTheLast() {
        var first = started();
        advance(15);
        requestTimeout.disarm();
        var second = started();
        advance(19);
        assertThat(second.finished).isNotDone();
        advance(1);
        assertThat(second.finished).isCompletedExceptionally();
        assertThat(first.finished).isNotDone();
    }

    @Test
    void aDeadlineBeforeTheTimersIsKept() {
        var patient = started();
        patient.enterStep(Step.LAST_BYTE, now());
        advance(20); // The timer is now set for the end of the 60 seconds.
        requestTimeout.disarm();
        var hasty = started();
        advance(20);
        assertThat(hasty.finished).isCompletedExceptionally();
    }

    @Test
    void aConnectionThatOnlyWaitsIsLeftAlone() {
        var _ = started();
        requestTimeout.disarm();
        advance(100);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
    }

    @Test
    void whatHasEndedLeavesNoTimer() {
        var _ = started();
        assertThat(channel.runScheduledPendingTasks()).isNotEqualTo(NO_TIMER);
        requestTimeout.cancel();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
    }

    private PendingRequest started() {
        return startedAt(seconds);
    }

    private PendingRequest startedAt(long startedSeconds) {
        var pendingRequest = pending(startedSeconds);
        pendingRequest.start(now());
        requestTimeout.arm(pendingRequest);
        return pendingRequest;
    }

    private PendingRequest pending() {
        return pending(seconds);
    }

    /**
     * Creates a request that must connect within 10 seconds, get a response within 20 and end
     * within 60.
     */
    private PendingRequest pending(long startedSeconds) {
        var timeouts =
                new FetchSettings.Timeouts(
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(60));
        var reader =
                new ResponseReader(
                        4096, 1 << 20, new SpillBuffer(directory), Fetcher.HeadFilter.ACCEPT_ALL);
        var started = TimeUnit.SECONDS.toNanos(startedSeconds);
        return new PendingRequest(new byte[0], reader, () -> {}, timeouts, started);
    }

    private long now() {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    private void advance(long more) {
        seconds += more;
        channel.advanceTimeBy(more, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }
}
