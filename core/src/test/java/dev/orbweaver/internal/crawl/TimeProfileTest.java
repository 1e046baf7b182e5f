package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orbweaver.internal.crawl.TimeProfile.Phase;
import dev.orbweaver.internal.frontier.FrontierStats.Hosts;
import dev.orbweaver.model.Timings;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

class TimeProfileTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final TimeProfile timeProfile = new TimeProfile();

    private Duration time(Phase phase) {
        return timeProfile.breakdown().times().getOrDefault(phase, Duration.ZERO);
    }

    @Test
    void timeIsAddedUpOverHostsByWhatTheyAreDoing() {
        timeProfile.sampleHosts(new Hosts(9, 0, 0, 0, 0), START);
        timeProfile.sampleHosts(new Hosts(9, 3, 2, 1, 4), START.plusSeconds(10));
        assertThat(time(Phase.POLITENESS)).isEqualTo(Duration.ofSeconds(30));
        assertThat(time(Phase.CONCURRENCY)).isEqualTo(Duration.ofSeconds(20));
        assertThat(time(Phase.RESTING)).isEqualTo(Duration.ofSeconds(40));
        assertThat(time(Phase.IDLE)).isZero();
        assertThat(timeProfile.breakdown().politenessShare()).isCloseTo(40.0 / 60, within(1e-9));
        assertThat(timeProfile.breakdown().longest()).contains(Phase.RESTING);
    }

    @Test
    void whereNoHostHasWorkTheCrawlIsIdle() {
        timeProfile.sampleHosts(new Hosts(9, 0, 0, 0, 0), START);
        timeProfile.sampleHosts(new Hosts(9, 0, 0, 0, 0), START.plusSeconds(2));
        assertThat(time(Phase.IDLE)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void responseTimeIsSplitByPhaseExceptForRobotsTxt() {
        var timings =
                new Timings(
                        START,
                        Duration.ofMillis(1),
                        Duration.ofMillis(20),
                        Duration.ofMillis(30),
                        Duration.ofMillis(40),
                        Duration.ofMillis(150));
        timeProfile.addResponse(timings, false);
        timeProfile.addResponse(timings, true);
        assertThat(time(Phase.DNS)).isEqualTo(Duration.ofMillis(1));
        assertThat(time(Phase.CONNECT)).isEqualTo(Duration.ofMillis(20));
        assertThat(time(Phase.TLS)).isEqualTo(Duration.ofMillis(30));
        assertThat(time(Phase.SERVER)).isEqualTo(Duration.ofMillis(40));
        assertThat(time(Phase.BODY)).isEqualTo(Duration.ofMillis(60));
        assertThat(time(Phase.ROBOTS)).isEqualTo(Duration.ofMillis(151));
        assertThat(timeProfile.breakdown().longest()).contains(Phase.ROBOTS);
    }
}
