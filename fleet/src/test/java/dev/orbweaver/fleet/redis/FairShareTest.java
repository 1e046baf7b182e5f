package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Map;

/** How workers divide hosts. */
class FairShareTest {

    private final FairShare fairShare = new FairShare();

    @Test
    void aWorkerAloneMayClaimEverything() {
        assertThat(fairShare.allowance(500, 8)).isEqualTo(Integer.MAX_VALUE);
        assertThat(fairShare.surplus(500, 1_000)).isZero();
    }

    @Test
    void workersClaimAnEqualShareOfHostsThatAreDue() {
        fairShare.setOthers(Map.of("w2", 0, "w3", 0, "w4", 0));
        assertThat(fairShare.allowance(0, 8)).isEqualTo(2);
        assertThat(fairShare.allowance(2, 6)).isZero();
    }

    @Test
    void aLoadedWorkerGivesBackWhatOthersLackAndThenWaits() {
        fairShare.setOthers(Map.of("w2", 0));
        assertThat(fairShare.surplus(8, 10_000)).isEqualTo(4);
        assertThat(fairShare.surplus(8, 10_001)).isZero();
        fairShare.setOthers(Map.of("w2", 4));
        assertThat(fairShare.surplus(4, 20_000)).isZero();
    }

    @Test
    void aWorkerWaitsLongerAndLongerIfOthersDoNotClaimWhatItGaveBack() {
        fairShare.setOthers(Map.of("w2", 0));
        var releases = 0;
        for (var now = 10_000L; now < 610_000; now += 100) {
            releases += fairShare.surplus(8, now) > 0 ? 1 : 0;
        }
        assertThat(releases).isBetween(5, 10);
    }
}
