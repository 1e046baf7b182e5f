package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SimulatedRobotsTest {

    @Test
    void theLongestPatternDecides() {
        var policy = SimulatedRobots.WILDCARDS;
        assertThat(policy.allows("/private/open-4")).isTrue();
        assertThat(policy.allows("/private/shut-5")).isFalse();
        assertThat(policy.allows("/drafts/6.draft")).isFalse();
        assertThat(policy.allows("/drafts/7.draft?v=x")).isTrue();
        assertThat(policy.allows("/")).isTrue();
    }

    @Test
    void aServerErrorForbidsAllAndAClientErrorNothing() {
        assertThat(SimulatedRobots.UNREACHABLE.allows("/")).isFalse();
        assertThat(SimulatedRobots.UNREACHABLE.allows("/robots.txt")).isTrue();
        assertThat(SimulatedRobots.FORBIDDEN.allows("/private/shut-1")).isTrue();
        assertThat(SimulatedRobots.NOT_FOUND.allows("/")).isTrue();
    }
}
