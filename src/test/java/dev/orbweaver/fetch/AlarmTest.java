package dev.orbweaver.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.disk.SpillBuffer;
import dev.orbweaver.fetch.Pending.Step;

import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** When an alarm rings, by a clock that only the test moves. */
class AlarmTest {

    private static final long NO_TIMER = -1;

    @TempDir Path folder;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private long seconds;
    private final Alarm alarm =
            new Alarm(channel, channel.eventLoop(), () -> TimeUnit.SECONDS.toNanos(seconds));

    @BeforeEach
    void stopTheClock() {
        channel.freezeTime();
    }

    @Test
    void aRequestThatIsLateFailsAndEndsItsConnection() {
        var pending = begun();
        pass(19);
        assertThat(pending.finished).isNotDone();
        pass(1);
        assertThat(pending.finished.exceptionNow())
                .isInstanceOf(TimeoutException.class)
                .hasMessage("no answer in time");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aDeadlineThatHasMovedOnIsWaitedFor() {
        var pending = begun();
        pass(10);
        pending.enter(Step.LAST_BYTE, now());
        pass(49);
        assertThat(pending.finished).isNotDone();
        pass(1);
        assertThat(pending.finished.exceptionNow()).hasMessage("not complete within 60000 ms");
    }

    @Test
    void eachStepHasItsOwnTimeAndItsOwnWords() {
        var pending = pending();
        pending.enter(Step.CONNECT, now());
        alarm.watch(pending);
        pass(9);
        pending.enter(Step.TLS, now());
        pass(9);
        assertThat(pending.finished).isNotDone();
        pass(1);
        assertThat(pending.finished.exceptionNow()).hasMessage("no TLS handshake in time");
        assertThat(pending.took(Step.CONNECT)).isEqualTo(Duration.ofSeconds(9));
        assertThat(pending.took(Step.TLS)).isZero();
    }

    @Test
    void noStepLastsLongerThanIsLeftOfAll() {
        seconds = 55;
        var pending = begunAt(0);
        pass(4);
        assertThat(pending.finished).isNotDone();
        pass(1);
        assertThat(pending.finished).isCompletedExceptionally();
    }

    @Test
    void theNextRequestIsNotHeldToTheTimeOfTheLast() {
        var first = begun();
        pass(15);
        alarm.rest();
        var second = begun();
        pass(19);
        assertThat(second.finished).isNotDone();
        pass(1);
        assertThat(second.finished).isCompletedExceptionally();
        assertThat(first.finished).isNotDone();
    }

    @Test
    void aDeadlineBeforeTheTimersIsKept() {
        var patient = begun();
        patient.enter(Step.LAST_BYTE, now());
        pass(20); // The timer is now set for the end of the 60 seconds.
        alarm.rest();
        var hasty = begun();
        pass(20);
        assertThat(hasty.finished).isCompletedExceptionally();
    }

    @Test
    void aConnectionThatOnlyWaitsIsLeftAlone() {
        var _ = begun();
        alarm.rest();
        pass(100);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
    }

    @Test
    void whatHasEndedLeavesNoTimer() {
        var _ = begun();
        assertThat(channel.runScheduledPendingTasks()).isNotEqualTo(NO_TIMER);
        alarm.cancel();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
    }

    private Pending begun() {
        return begunAt(seconds);
    }

    private Pending begunAt(long startedSeconds) {
        var pending = pending(startedSeconds);
        pending.begin(now());
        alarm.watch(pending);
        return pending;
    }

    private Pending pending() {
        return pending(seconds);
    }

    /** Connects within 10 seconds, answers within 20, is over within 60. */
    private Pending pending(long startedSeconds) {
        var times =
                new FetchSettings.Times(
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(60));
        var reader = new ResponseReader(4096, 1 << 20, new SpillBuffer(folder));
        var started = TimeUnit.SECONDS.toNanos(startedSeconds);
        return new Pending(new byte[0], reader, () -> {}, times, started);
    }

    private long now() {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    private void pass(long more) {
        seconds += more;
        channel.advanceTimeBy(more, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }
}
