package dev.orbweaver.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class GatesTest {

    private static List<Gates.Gate> gate(int number, long delay) {
        return List.of(new Gates.Gate("ip " + number, delay));
    }

    @Test
    void forgettingOpenGatesFreesNoClosedOne() {
        for (var openedAt : new long[] {0, 5_000_000}) {
            var gates = new Gates(openedAt);
            var now = 10_000_000L;
            gates.take(gate(-1, 1_000_000), now);
            for (var i = 0; i < 250_000; i++) {
                gates.take(gate(i, 50), now + i);
            }
            assertThat(gates.opensAt(gate(-1, 1_000_000))).isEqualTo(now + 1_000_000);
            for (var i = 249_950; i < 250_000; i++) {
                assertThat(gates.opensAt(gate(i, 50))).isEqualTo(now + i + 50);
            }
            assertThat(gates.opensAt(gate(0, 50))).isLessThanOrEqualTo(now + 50);
        }
    }

    @Test
    void afterARestartEveryGateWasTakenAtTheOpening() {
        var gates = new Gates(1000);
        assertThat(gates.opensAt(gate(1, 70))).isEqualTo(1070);
        assertThat(new Gates(0).opensAt(gate(1, 70))).isZero();
    }

    @Test
    void severalGatesOpenWithTheLast() {
        var gates = new Gates(0);
        var both = List.of(new Gates.Gate("a", 10), new Gates.Gate("b", 30));
        gates.take(both, 100);
        assertThat(gates.opensAt(both)).isEqualTo(130);
    }
}
