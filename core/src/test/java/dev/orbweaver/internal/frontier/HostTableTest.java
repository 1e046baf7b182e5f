package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Random;

class HostTableTest {

    private final HostTable table = new HostTable();

    private HostQueue added(String name) {
        var host = new HostQueue(name, Politeness.DEFAULT);
        table.add(host);
        return host;
    }

    @Test
    void namesOfEqualHashCodeAreFoundAndRemovedLikeAnyOther() {
        var names = CollidingHosts.names(10);
        assertThat(names.stream().map(String::hashCode).distinct()).hasSize(1);
        var hosts = names.stream().map(this::added).toList();
        for (var i = 0; i < hosts.size(); i += 2) {
            table.remove(hosts.get(i));
        }
        for (var i = 0; i < hosts.size(); i++) {
            assertThat(table.find(names.get(i))).isSameAs(i % 2 == 0 ? null : hosts.get(i));
        }
        assertThat(table.size()).isEqualTo(names.size() / 2);
    }

    /** Mixes names with few distinct hash codes, which collide, with ordinary ones. */
    @Test
    void addsFindsAndRemovesAsAMapDoes() {
        var random = new Random(17);
        var names = new ArrayList<>(CollidingHosts.names(7));
        for (var i = 0; i < 200; i++) {
            names.add("host" + i + ".test");
        }
        var expected = new HashMap<String, HostQueue>();
        for (var step = 0; step < 50_000; step++) {
            var name = names.get(random.nextInt(names.size()));
            var there = expected.get(name);
            assertThat(table.find(name)).isSameAs(there);
            if (there == null) {
                expected.put(name, added(name));
            } else if (random.nextBoolean()) {
                expected.remove(name);
                table.remove(there);
            }
        }
        assertThat(table.size()).isEqualTo(expected.size());
    }

    /** If every name were compared with every other one, this would take minutes. */
    @Slow
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPageWithTheNamesOf65536CollidingHostsIsTakenInQuickly() {
        var names = CollidingHosts.names(16);
        var candidates = new ArrayList<Candidate>(names.size());
        names.forEach(name -> candidates.add(Fixture.link("http://" + name + "/")));
        var frontier = frontier();
        var cpu = ManagementFactory.getThreadMXBean();
        var before = cpu.getCurrentThreadCpuTime();
        frontier.offer(TestFrontier.JOB, candidates, Fixture.START);
        var seconds = (cpu.getCurrentThreadCpuTime() - before) / 1e9;
        assertThat(frontier.ledger().accepted()).isEqualTo(names.size());
        assertThat(frontier.lease(10, Fixture.START)).hasSize(10);
        assertThat(seconds).isLessThan(5);
    }

    private static TestFrontier frontier() {
        var bench = new Workbench(Politeness.DEFAULT);
        return new TestFrontier(
                new WorkbenchFrontier(Politeness.DEFAULT, bench, EventLog.NONE, Fixture.START));
    }
}
