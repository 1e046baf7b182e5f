package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.crawl.Governor.LoadSample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class GovernorTest {

    private static final long FREE_MIN = 1000;
    private static final LoadSample CALM = new LoadSample(Duration.ofMillis(20), .1, .3, 1 << 30);

    static final List<LoadSample> OVERLOADS =
            List.of(
                    new LoadSample(Duration.ofSeconds(3), .1, .3, 1 << 30),
                    new LoadSample(Duration.ofMillis(20), .8, .3, 1 << 30),
                    new LoadSample(Duration.ofMillis(20), .1, .95, 1 << 30),
                    new LoadSample(Duration.ofMillis(20), .1, .3, 2 * FREE_MIN - 1));

    private final Governor governor = new Governor(64, FREE_MIN);
    private Instant now = Instant.EPOCH;

    private void update(LoadSample loadSample, int times) {
        for (var i = 0; i < times; i++) {
            assertThat(governor.isDue(now)).isTrue();
            governor.update(loadSample, now);
            assertThat(governor.isDue(now.plusMillis(999))).isFalse();
            now = now.plusSeconds(1);
        }
    }

    @Test
    void whileAllIsWellEverythingIsAllowed() {
        update(CALM, 5);
        assertThat(governor.state()).isEqualTo(new Governor.State(64, 64, Optional.empty(), 0));
    }

    @ParameterizedTest
    @FieldSource("OVERLOADS")
    void eachOverloadReducesConcurrencyWithAReasonUntilItEnds(LoadSample problem) {
        update(problem, 1);
        assertThat(governor.allowed()).isEqualTo(48);
        assertThat(governor.state().reason()).isPresent();
        update(problem, 60);
        assertThat(governor.allowed()).isEqualTo(1);
        assertThat(governor.state().reductions()).isEqualTo(1);
        update(CALM, 1);
        assertThat(governor.allowed()).isEqualTo(5);
        assertThat(governor.state().reason()).isPresent();
        update(CALM, 60);
        assertThat(governor.allowed()).isEqualTo(64);
        assertThat(governor.state().reason()).isEmpty();
    }

    @Test
    void betweenOverloadAndCalmItKeepsItsLimit() {
        update(OVERLOADS.getFirst(), 1);
        update(new LoadSample(Duration.ofMillis(1500), .1, .3, 1 << 30), 10);
        update(new LoadSample(Duration.ofMillis(20), .5, .3, 1 << 30), 10);
        update(new LoadSample(Duration.ofMillis(20), .1, .85, 1 << 30), 10);
        assertThat(governor.allowed()).isEqualTo(48);
    }
}
