package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.FrontierEvent.Rest;

import org.junit.jupiter.api.Test;

class HostBackoffTest {

    private static final long MINUTE = 60_000;

    private final HostBackoff backoff = new HostBackoff();
    private final HostTurn turn = new HostTurn();

    private void fail(int times) {
        for (var i = 0; i < times; i++) {
            assertThat(backoff.recordFailure(1, turn)).isFalse();
        }
    }

    @Test
    void theTenthFailureInARowOpensTheCircuitBreaker() {
        turn.blockEndLogged = true;
        fail(9);
        assertThat(backoff.rest).isEqualTo(Rest.NONE);
        assertThat(turn.blockEndLogged).isTrue();
        fail(1);
        assertThat(backoff.rest).isEqualTo(Rest.CIRCUIT_BREAKER);
        assertThat(backoff.restUntil).isEqualTo(1 + MINUTE);
        assertThat(turn.blockEndLogged).isFalse();
    }

    @Test
    void failuresOfRequestsInFlightWhenTheRestBeganAreNoProbes() {
        fail(12);
        assertThat(backoff.probes).isZero();
    }

    @Test
    void restsDoubleUpToAnHourAndTheEighthProbeIsTheLast() {
        fail(10);
        for (var probe = 1; probe <= 8; probe++) {
            var ended = backoff.restUntil;
            assertThat(backoff.recordFailure(ended, turn)).isEqualTo(probe == 8);
            assertThat(backoff.restUntil - ended).isEqualTo(Math.min(MINUTE << probe, 60 * MINUTE));
        }
    }

    @Test
    void aResponseEndsTheRowOfFailuresAndARestThatIsOver() {
        fail(10);
        backoff.recordResponse(false);
        assertThat(backoff.failures).isZero();
        assertThat(backoff.isClear()).isFalse();
        backoff.recordResponse(true);
        assertThat(backoff.isClear()).isTrue();
    }

    @Test
    void aShorterRestChangesNothing() {
        backoff.restUntil(10, Rest.RETRY_AFTER, turn);
        backoff.restUntil(9, Rest.RATE_LIMITED, turn);
        assertThat(backoff.rest).isEqualTo(Rest.RETRY_AFTER);
    }
}
