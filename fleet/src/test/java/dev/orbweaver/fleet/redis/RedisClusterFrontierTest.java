package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The contract on a cluster of three masters, with the hosts divided into seven shards.
 *
 * <p>Shards are independent, so hosts that are ready in several of them at the same moment are
 * leased in no particular order. The contract's tests get their leases in the order in which hosts
 * were offered, and the tests about order are replaced here.
 */
@Slow
class RedisClusterFrontierTest implements FleetContract {

    @TempDir static Path directory;

    private static RedisCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        cluster = RedisCluster.start(directory);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Leases in the order in which hosts were first offered. */
    private static final class OrderedFrontier extends TestFrontier {
        private final Map<String, Integer> met = new HashMap<>();

        private OrderedFrontier(RedisFrontier inner) {
            super(inner);
        }

        @Override
        public void offer(JobId job, List<Candidate> candidates, Instant now) {
            candidates.forEach(each -> met.putIfAbsent(each.url().host(), met.size()));
            super.offer(job, candidates, now);
        }

        @Override
        public List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
            return sorted(super.lease(max, wanted, now));
        }

        private List<Lease> sorted(List<Lease> leases) {
            return leases.stream()
                    .sorted(Comparator.comparing(lease -> met.getOrDefault(lease.url().host(), 0)))
                    .toList();
        }
    }

    @Override
    public TestFrontier open(Politeness politeness, Instant now) {
        return new OrderedFrontier(join(politeness, now));
    }

    private static RedisFrontier join(Politeness politeness, Instant now) {
        var uri = cluster.nodes.getFirst().uri();
        return FleetFixtures.join(FleetFixtures.settings(uri).withShards(7), politeness, now);
    }

    @Test
    void allMastersHaveAPart() throws IOException {
        try (var frontier = open(PLAIN, Fixture.START)) {
            frontier.offer(
                    TestFrontier.JOB,
                    IntStream.range(0, 50)
                            .mapToObj(i -> Fixture.link("http://h" + i + ".example/"))
                            .toList(),
                    Fixture.START);
            assertThat(frontier.lease(100, Fixture.START)).hasSize(50);
        }
        for (var node : cluster.nodes) {
            assertThat(node.command("DBSIZE")).isNotEqualTo(":0\r\n");
        }
    }

    /**
     * In one shard it is the order of the list; over several, the host that has waited longest is
     * first.
     */
    @Override
    @Test
    public void readyHostsAreServedFirstInFirstOut() {
        try (var frontier = join(PLAIN, Fixture.START)) {
            for (var i = 0; i < 20; i++) {
                var now = Fixture.START.plusMillis(i);
                durable(
                        frontier.offer(
                                TestFrontier.JOB,
                                List.of(Fixture.link("http://h" + i + ".example/")),
                                now));
            }
            var now = Fixture.START.plusSeconds(1);
            var order =
                    IntStream.range(0, 20)
                            .mapToObj(_ -> frontier.lease(1, now).getFirst().url().host())
                            .toList();
            assertThat(order)
                    .isEqualTo(IntStream.range(0, 20).mapToObj(i -> "h" + i + ".example").toList());
        }
    }

    /** Each shard shares its turns by weight, so the total differs by a turn or two per shard. */
    @Override
    @Test
    public void turnsComeOutAsTheWeightsWhenAllHaveWork() {
        try (var frontier = join(PLAIN, Fixture.START)) {
            for (var job : List.of(A, B)) {
                durable(
                        frontier.offer(
                                job,
                                IntStream.range(0, 600)
                                        .mapToObj(
                                                i ->
                                                        Fixture.link(
                                                                "http://j%d-%d.example/"
                                                                        .formatted(
                                                                                job.number(), i)))
                                        .toList(),
                                Fixture.START));
            }
            frontier.setWeight(A, 3);
            var turns = new HashMap<JobId, Integer>();
            for (var round = 0; round < 100; round++) {
                frontier.lease(4, Fixture.START)
                        .forEach(lease -> turns.merge(lease.job(), 1, Integer::sum));
            }
            assertThat(turns.get(A)).isBetween(270, 330);
            assertThat(turns.get(B)).isEqualTo(400 - turns.getOrDefault(A, 0));
        }
    }

    /** Each shard differs by a turn at most. */
    @Override
    @Test
    public void aJobThatWasIdleDoesNotMakeUpForIt() {
        try (var frontier = join(PLAIN, Fixture.START)) {
            for (var job : List.of(A, B)) {
                durable(
                        frontier.offer(
                                job,
                                IntStream.range(0, 100)
                                        .mapToObj(
                                                i ->
                                                        Fixture.link(
                                                                "http://j%d-%d.example/"
                                                                        .formatted(
                                                                                job.number(), i)))
                                        .toList(),
                                Fixture.START));
                if (job.equals(A)) {
                    assertThat(frontier.lease(40, Fixture.START)).hasSize(40);
                }
            }
            var next = frontier.lease(40, Fixture.START);
            assertThat(next.stream().filter(lease -> lease.job().equals(B)).count())
                    .isBetween(20L - 7, 20L + 7);
        }
    }

    /** Dead letters are read shard by shard, so in no defined order. */
    @Override
    @Test
    public void onlyTheLettersThatAreMeantComeBack() {
        var hosts = List.of("a", "b", "c", "d", "e", "f");
        try (var frontier = join(PLAIN, Fixture.START)) {
            durable(
                    frontier.offer(
                            TestFrontier.JOB,
                            hosts.stream()
                                    .map(host -> Fixture.link("http://" + host + ".example/"))
                                    .toList(),
                            Fixture.START));
            for (var lease : frontier.lease(9, Fixture.START)) {
                var early = lease.url().host().charAt(0) < 'd';
                var settlement =
                        Settlement.of(
                                lease,
                                new Outcome.Dead(early ? FailureCause.DNS : FailureCause.TLS),
                                new HostSignal.Healthy(Fixture.START));
                durable(
                        frontier.settle(
                                new CommitBatch(List.of(settlement), List.of()), Fixture.START));
            }
            var seen = new TreeSet<String>();
            var revived =
                    frontier.requeueDeadLetters(
                            TestFrontier.JOB,
                            letter -> {
                                seen.add(letter.url().host().substring(0, 1));
                                return letter.cause() == FailureCause.DNS;
                            },
                            Fixture.START);
            assertThat(seen).containsExactlyElementsOf(hosts);
            assertThat(revived.urls()).isEqualTo(3);
            assertThat(frontier.stats().deadByCause()).isEqualTo(Map.of(FailureCause.TLS, 3L));
            assertThat(frontier.lease(9, Fixture.START.plusSeconds(1)))
                    .extracting(lease -> lease.url().host().substring(0, 1))
                    .containsExactlyInAnyOrder("a", "b", "c");
        }
    }
}
