package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

class RobotsOutcomeTest {

    @Test
    void anAnswerWithAFileGivesItsRules() {
        var body = "user-agent: *\ndisallow: /x".getBytes(StandardCharsets.UTF_8);
        var outcome = RobotsOutcome.ofStatus(200, body, body.length, "bot", 0, Optional.empty());

        assertThat(outcome).isInstanceOf(RobotsOutcome.Rules.class);
        assertThat(((RobotsOutcome.Rules) outcome).rules().evaluate("/x").allowed()).isFalse();
    }

    @Test
    void aMissingFileForbidsNothing() {
        assertThat(of(404)).isEqualTo(new RobotsOutcome.Rules(RobotsRules.ALLOW_ALL));
        assertThat(of(403)).isEqualTo(new RobotsOutcome.Rules(RobotsRules.ALLOW_ALL));
    }

    @Test
    void problemIsNeverReadAsPermission() {
        for (var status : new int[] {429, 500, 503, 599, 304, 302, 100, 999}) {
            assertThat(of(status)).as("%d", status).isInstanceOf(RobotsOutcome.Unreachable.class);
        }
        assertThat(RobotsOutcome.ofFailure("dns")).isEqualTo(new RobotsOutcome.Unreachable("dns"));
    }

    @Test
    void fiveRedirectsAreFollowedAndASixthMeansThereIsNoFile() {
        assertThat(redirect(4)).isEqualTo(new RobotsOutcome.Redirect("/r"));
        assertThat(redirect(5)).isEqualTo(new RobotsOutcome.Rules(RobotsRules.ALLOW_ALL));
    }

    private static RobotsOutcome redirect(int hopsSoFar) {
        return RobotsOutcome.ofStatus(301, new byte[0], 0, "bot", hopsSoFar, Optional.of(" /r"));
    }

    private static RobotsOutcome of(int status) {
        return RobotsOutcome.ofStatus(status, new byte[0], 0, "bot", 0, Optional.empty());
    }
}
