package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.List;

class GatesTest {

    private static List<Gates.Gate> gate(int number, long delay) {
        return List.of(new Gates.Gate("ip " + number, delay));
    }

    private static void send(Gates gates, long token, List<Gates.Gate> wanted, long now) {
        gates.take(token, wanted, now);
        gates.sent(token, now);
        gates.leaseEnded(token, now);
    }

    @Test
    void aGateIsClosedUntilTheRequestGoesOutAndItsDelayRunsFromThere() {
        var gates = new Gates(0);
        gates.take(1, gate(7, 100), 4_000);
        assertThat(gates.opensAt(gate(7, 100), 5_000)).isEqualTo(5_100);
        gates.sent(1, 6_000);
        gates.leaseEnded(1, 6_050);
        assertThat(gates.opensAt(gate(7, 100), 6_050)).isEqualTo(6_100);
    }

    @Test
    void aRequestThatNeverWentOutCountsWhenItsLeaseEnds() {
        var gates = new Gates(0);
        gates.take(1, gate(7, 100), 4_000);
        gates.leaseEnded(1, 6_000);
        assertThat(gates.opensAt(gate(7, 100), 6_000)).isEqualTo(6_100);
    }

    @Test
    void aLeaseThatEndsOpensNoGateThatTheNextHasClosed() {
        var gates = new Gates(0);
        gates.take(1, gate(7, 100), 4_000);
        gates.sent(1, 4_000);
        gates.take(2, gate(7, 100), 4_100);
        gates.leaseEnded(1, 4_150); // The slow response to the first; the second is connecting.
        assertThat(gates.opensAt(gate(7, 100), 4_900)).isEqualTo(5_000);
        gates.sent(2, 5_000);
        assertThat(gates.opensAt(gate(7, 100), 5_000)).isEqualTo(5_100);
    }

    @Test
    void aRequestReportedBeforeTheClockIsSetBackKeepsItsDelay() {
        var gates = new Gates(0);
        gates.take(1, gate(7, 100), 4_000);
        gates.sent(1, 4_000);
        gates.setClockBack(3_000);
        assertThat(gates.opensAt(gate(7, 100), 1_010)).isEqualTo(1_100);
    }

    @Test
    void aGateThatLimitsRequestsInFlightIsHeldUntilTheLeaseEnds() {
        var gates = new Gates(0);
        var group = List.of(new Gates.Gate("group", 50, 1));
        gates.take(1, group, 4_000);
        assertThat(gates.opensAt(group, 4_000)).as("not sent yet").isEqualTo(4_100);
        gates.sent(1, 4_000);
        assertThat(gates.opensAt(group, 4_060)).as("the second to ask").isEqualTo(4_260);
        assertThat(gates.opensAt(group, 4_060)).as("the third").isEqualTo(4_360);
        gates.leaseEnded(1, 4_500);
        assertThat(gates.opensAt(group, 4_500)).isLessThanOrEqualTo(4_500);
        gates.take(2, group, 4_500);
        assertThat(gates.opensAt(group, 4_700)).as("the count begins again").isEqualTo(4_800);
    }

    @Test
    void aGateMayLetSeveralBeInFlight() {
        var gates = new Gates(0);
        var group = List.of(new Gates.Gate("group", 0, 2));
        for (var token = 1; token <= 2; token++) {
            assertThat(gates.opensAt(group, 10)).isLessThanOrEqualTo(10);
            gates.take(token, group, 10);
            gates.sent(token, 10);
        }
        assertThat(gates.opensAt(group, 10)).isGreaterThan(10);
        gates.leaseEnded(1, 20);
        assertThat(gates.opensAt(group, 20)).isLessThanOrEqualTo(20);
    }

    @Test
    void aRequestSentOnceMoreOpensNoGateThatTheNextHasClosed() {
        var gates = new Gates(0);
        gates.take(1, gate(7, 100), 4_000);
        gates.sent(1, 4_000);
        gates.sent(1, 4_050);
        assertThat(gates.opensAt(gate(7, 100), 4_100)).isEqualTo(4_150);
        gates.take(2, gate(7, 100), 4_150);
        gates.sent(1, 4_160);
        assertThat(gates.opensAt(gate(7, 100), 4_300)).isEqualTo(4_400);
    }

    @Test
    void forgettingOpenGatesFreesNoClosedOne() {
        for (var openedAt : new long[] {0, 5_000_000}) {
            var gates = new Gates(openedAt);
            var now = 10_000_000L;
            send(gates, -1, gate(-1, 1_000_000), now);
            for (var i = 0; i < 250_000; i++) {
                send(gates, i, gate(i, 50), now + i);
            }
            assertThat(gates.opensAt(gate(-1, 1_000_000), now)).isEqualTo(now + 1_000_000);
            for (var i = 249_950; i < 250_000; i++) {
                assertThat(gates.opensAt(gate(i, 50), now)).isEqualTo(now + i + 50);
            }
            assertThat(gates.opensAt(gate(0, 50), now)).isLessThanOrEqualTo(now + 50);
        }
    }

    @Test
    void afterARestartEveryGateWasTakenAtTheOpening() {
        var gates = new Gates(1000);
        assertThat(gates.opensAt(gate(1, 70), 1000)).isEqualTo(1070);
        assertThat(new Gates(0).opensAt(gate(1, 70), 1000)).isZero();
    }

    @Test
    void severalGatesOpenWithTheLast() {
        var gates = new Gates(0);
        var both = List.of(new Gates.Gate("a", 10), new Gates.Gate("b", 30));
        send(gates, 1, both, 100);
        assertThat(gates.opensAt(both, 100)).isEqualTo(130);
    }

    /** If every key were compared with every other one, this would take minutes. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void gatesOfHostsWithEqualHashCodesAreFoundQuickly() {
        var gates = new Gates(0);
        var token = 0L;
        var cpu = ManagementFactory.getThreadMXBean();
        var before = cpu.getCurrentThreadCpuTime();
        for (var name : CollidingHosts.names(15)) {
            var gate = List.of(new Gates.Gate(new Gates.Host(name), 1_000));
            gates.take(++token, gate, 0);
            gates.sent(token, 0);
            assertThat(gates.opensAt(gate, 0)).isEqualTo(1_000);
        }
        assertThat(cpu.getCurrentThreadCpuTime() - before).isLessThan(5_000_000_000L);
    }
}
