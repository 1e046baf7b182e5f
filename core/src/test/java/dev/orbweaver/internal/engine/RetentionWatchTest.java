package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

class RetentionWatchTest {

    private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean stopped = new AtomicBoolean();

    private RetentionWatch watch(String retention, Optional<RunHistory.Pass> last) {
        return new RetentionWatch(
                Retention.parse(retention).orElseThrow(),
                last,
                () -> BEGIN,
                bytes::get,
                () -> stopped.set(true));
    }

    private static Instant after(Duration time) {
        return BEGIN.plus(time);
    }

    @Test
    void anAgeIsAppliedEachEighthOfIt() throws IOException {
        try (var watch = watch("8h", Optional.empty())) {
            assertThat(watch.isReached(after(Duration.ofMinutes(59)))).isFalse();
            assertThat(watch.isReached(after(Duration.ofMinutes(60)))).isTrue();
        }
        try (var watch = watch("90d", Optional.empty())) {
            assertThat(watch.isReached(after(Duration.ofHours(23)))).isFalse();
            assertThat(watch.isReached(after(Duration.ofHours(24)))).isTrue();
        }
        try (var watch = watch("1s", Optional.empty())) {
            assertThat(watch.isReached(after(Duration.ofSeconds(59)))).isFalse();
            assertThat(watch.isReached(after(Duration.ofSeconds(60)))).isTrue();
        }
        assertThat(stopped).isFalse();
    }

    @Test
    void aSizeIsAppliedWhenItIsExceeded() throws IOException {
        try (var watch = watch("1000B", Optional.empty())) {
            bytes.set(1_000);
            assertThat(watch.isReached(after(Duration.ofDays(1)))).isFalse();
            assertThat(watch.isDue()).isFalse();
            bytes.set(1_001);
            Eventually.until("the crawl is stopped", stopped::get);
            assertThat(watch.isDue()).isTrue();
        }
    }

    @Test
    void aPassIsFollowedByNineTimesAsMuchCrawling() throws IOException {
        bytes.set(2_000);
        var pass = new RunHistory.Pass(BEGIN, Duration.ofMinutes(2));
        try (var watch = watch("1000B", Optional.of(pass))) {
            assertThat(watch.isReached(after(Duration.ofMinutes(17)))).isFalse();
            assertThat(watch.isReached(after(Duration.ofMinutes(18)))).isTrue();
        }
        assertThat(stopped).isFalse();
    }
}
