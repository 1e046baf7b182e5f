package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** When requests may be sent after a local failure. */
class StorageMonitorTest implements LocalStorage {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final AtomicInteger repairs = new AtomicInteger();
    private final StorageMonitor monitor = new StorageMonitor(Duration.ofSeconds(60), this);
    private boolean gone;
    private boolean full;

    @Override
    public void check() throws IOException {
        if (gone) {
            throw new IOException("gone");
        }
    }

    @Override
    public void repair() throws IOException {
        repairs.incrementAndGet();
        check();
        if (full) {
            throw new IOException("full");
        }
    }

    private static Instant at(long millis) {
        return START.plusMillis(millis);
    }

    private void fail(long millis) {
        monitor.onFailure(new IOException("cannot be kept"), at(millis));
    }

    @Test
    void afterAFailureNothingIsRequestedUntilStorageWorksAgain() {
        assertThat(monitor.isUsable(at(0))).isTrue();
        full = true;
        fail(10);
        assertThat(monitor.problem()).contains("cannot be kept");
        assertThat(monitor.isUsable(at(259))).isFalse();
        assertThat(repairs).hasValue(0);
        assertThat(monitor.isUsable(at(260))).isFalse();
        assertThat(monitor.problem()).contains("full");
        full = false;
        assertThat(monitor.isUsable(at(300))).as("not checked more often").isFalse();
        assertThat(monitor.isUsable(at(510))).isTrue();
        assertThat(monitor.problem()).isEmpty();
    }

    @Test
    void theBackoffDoublesWhileResponsesCannotBeKeptThoughTheCheckSucceeds() {
        var now = 0L;
        for (var backoff : new long[] {250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000}) {
            fail(now);
            assertThat(monitor.isUsable(at(now + backoff - 1))).isFalse();
            now += backoff;
            assertThat(monitor.isUsable(at(now))).isTrue();
        }
        assertThat(monitor.timedOut(at(now))).isEmpty();
        fail(60_000);
        assertThat(monitor.timedOut(at(60_000))).isPresent();
    }

    @Test
    void aResponseThatWasKeptEndsTheSeries() {
        fail(0);
        assertThat(monitor.isUsable(at(250))).isTrue();
        monitor.onSuccess();
        fail(60_000);
        assertThat(monitor.timedOut(at(60_000))).isEmpty();
        assertThat(monitor.timedOut(at(119_999))).isEmpty();
        assertThat(monitor.timedOut(at(120_000))).isPresent();
    }

    @Test
    void failuresFarApartHaveNothingToDoWithEachOther() {
        fail(0);
        assertThat(monitor.isUsable(at(250))).isTrue();
        fail(70_001);
        assertThat(monitor.timedOut(at(70_001))).isEmpty();
    }

    @Test
    void filesThatAreGoneAreNoticedWithoutAFailure() {
        assertThat(monitor.isUsable(at(0))).isTrue();
        gone = true;
        assertThat(monitor.isUsable(at(999))).isTrue();
        assertThat(monitor.isUsable(at(1000))).isFalse();
        assertThat(monitor.timedOut(at(60_999))).isEmpty();
        assertThat(monitor.timedOut(at(61_000))).isPresent();
    }
}
