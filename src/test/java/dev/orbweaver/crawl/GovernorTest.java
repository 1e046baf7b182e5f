package dev.orbweaver.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.crawl.Governor.Signs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class GovernorTest {

    private static final long FREE_MIN = 1000;
    private static final Signs CALM = new Signs(Duration.ofMillis(20), .1, .3, 1 << 30);

    static final List<Signs> TROUBLES =
            List.of(
                    new Signs(Duration.ofSeconds(3), .1, .3, 1 << 30),
                    new Signs(Duration.ofMillis(20), .8, .3, 1 << 30),
                    new Signs(Duration.ofMillis(20), .1, .95, 1 << 30),
                    new Signs(Duration.ofMillis(20), .1, .3, 2 * FREE_MIN - 1));

    private final Governor governor = new Governor(64, FREE_MIN);
    private Instant now = Instant.EPOCH;

    private void look(Signs signs, int times) {
        for (var i = 0; i < times; i++) {
            assertThat(governor.due(now)).isTrue();
            governor.look(signs, now);
            assertThat(governor.due(now.plusMillis(999))).isFalse();
            now = now.plusSeconds(1);
        }
    }

    @Test
    void whileAllIsWellEverythingIsAllowed() {
        look(CALM, 5);
        assertThat(governor.state()).isEqualTo(new Governor.State(64, 64, Optional.empty(), 0));
    }

    @ParameterizedTest
    @FieldSource("TROUBLES")
    void eachTroubleNarrowsAndSaysWhyUntilAllIsWellAgain(Signs trouble) {
        look(trouble, 1);
        assertThat(governor.allowed()).isEqualTo(48);
        assertThat(governor.state().why()).isPresent();
        look(trouble, 60);
        assertThat(governor.allowed()).isEqualTo(1);
        assertThat(governor.state().narrowed()).isEqualTo(1);
        look(CALM, 1);
        assertThat(governor.allowed()).isEqualTo(5);
        assertThat(governor.state().why()).isPresent();
        look(CALM, 60);
        assertThat(governor.allowed()).isEqualTo(64);
        assertThat(governor.state().why()).isEmpty();
    }

    @Test
    void betweenTroubleAndCalmItHoldsStill() {
        look(TROUBLES.getFirst(), 1);
        look(new Signs(Duration.ofMillis(1500), .1, .3, 1 << 30), 10);
        look(new Signs(Duration.ofMillis(20), .5, .3, 1 << 30), 10);
        look(new Signs(Duration.ofMillis(20), .1, .85, 1 << 30), 10);
        assertThat(governor.allowed()).isEqualTo(48);
    }
}
