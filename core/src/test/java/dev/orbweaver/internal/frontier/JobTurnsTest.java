package dev.orbweaver.internal.frontier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.orbweaver.model.JobId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Random sets of jobs share turns by weight. A turn is a lease. The share of a job in a sequence of
 * turns is their number times its weight over the weights of all jobs that take part. Two
 * properties hold for a job that has work all the time:
 *
 * <ul>
 *   <li>If the others have work all the time too, it is never more than one turn ahead of its share
 *       nor behind it, counted from the start. So in any sequence of turns, such as every window of
 *       50, its turns differ from its share by less than two, and a job of weight w waits for fewer
 *       than 2 W / w turns.
 *   <li>If others come and go, it has less than two turns fewer than its share of the weights of
 *       all of them, in any sequence.
 * </ul>
 */
class JobTurnsTest {

    private static final int SETS = 1000;
    private static final int WINDOW = 50;

    /** Rounding of virtual time. */
    private static final double ROUNDING = 0.001;

    /** One random set of jobs on a frontier in memory, all of whose requests succeed at once. */
    private static final class JobSet implements AutoCloseable {
        private final Random random;
        private final TestFrontier frontier =
                TestFrontier.inMemory(FrontierFixtures.PLAIN, Fixture.START);
        private final Map<JobId, Integer> weights = new HashMap<>();
        private final Map<String, Set<JobId>> jobsByHost = new TreeMap<>();
        private final Map<String, List<JobId>> turnsByHost = new HashMap<>();
        private final List<JobId> turns = new ArrayList<>();
        private Instant now = Fixture.START;
        private int pages;

        private JobSet(long seed) {
            random = new Random(seed);
            var skewed = random.nextBoolean();
            for (var number = 1; number <= 2 + random.nextInt(7); number++) {
                var job = new JobId(number);
                weights.put(job, 1 + random.nextInt(skewed ? 100 : 5));
                frontier.setWeight(job, weights.get(job));
            }
        }

        private void delays(int maxMillis) {
            for (var job : weights.keySet()) {
                var delay = Duration.ofMillis(random.nextInt(maxMillis + 1));
                frontier.setPoliteness(
                        job,
                        new Politeness(
                                delay, Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(9)),
                        now);
            }
        }

        private void add(String host, Set<JobId> jobs) {
            jobsByHost.put(host, jobs);
            jobs.forEach(job -> offer(job, host, 2));
        }

        private void offer(JobId job, String host, int count) {
            var found = new ArrayList<Candidate>(count);
            for (var i = 0; i < count; i++) {
                found.add(Fixture.link("http://" + host + "/" + pages++));
            }
            frontier.offer(job, found, now);
        }

        private Set<JobId> someJobs() {
            var some = new HashSet<>(weights.keySet());
            some.removeIf(_ -> some.size() > 2 && random.nextInt(3) == 0);
            return some;
        }

        /** Leases and settles; each job gets another URL on the host for each that it fetched. */
        private void step(int max, long millis, Set<JobId> steady) {
            var settlements = new ArrayList<Settlement>();
            for (var lease : frontier.lease(max, now)) {
                var host = lease.url().host();
                turns.add(lease.job());
                turnsByHost.computeIfAbsent(host, _ -> new ArrayList<>()).add(lease.job());
                if (steady.contains(lease.job())) {
                    offer(lease.job(), host, 1);
                }
                settlements.add(
                        Settlement.of(
                                lease, new Outcome.Done(true, 1), new HostSignal.Healthy(now)));
            }
            assertThat(frontier.settle(new CommitBatch(settlements, List.of()), now)).isZero();
            now = now.plusMillis(millis);
        }

        @Override
        public void close() {
            frontier.close();
        }
    }

    private static double shareOf(JobId job, Set<JobId> jobs, Map<JobId, Integer> weights) {
        return (double) weights.getOrDefault(job, 0) / jobs.stream().mapToInt(weights::get).sum();
    }

    /** Checks every prefix and every window of turns of jobs that had work all the time. */
    private static void checkShares(
            String what, List<JobId> turns, Set<JobId> jobs, Map<JobId, Integer> weights) {
        for (var job : jobs) {
            var share = shareOf(job, jobs, weights);
            var ahead = new double[turns.size() + 1];
            for (var i = 0; i < turns.size(); i++) {
                ahead[i + 1] = ahead[i] + (turns.get(i).equals(job) ? 1 : 0) - share;
                var inWindow = ahead[i + 1] - ahead[Math.max(0, i + 1 - WINDOW)];
                if (Math.abs(ahead[i + 1]) > 1 + ROUNDING || Math.abs(inWindow) > 2 + ROUNDING) {
                    fail(
                            "%s: %s with share %s is ahead by %s after turn %s and by %s in the"
                                            .formatted(
                                                    what, job, share, ahead[i + 1], i + 1, inWindow)
                                    + " last 50");
                }
            }
        }
    }

    @Test
    void jobsShareEachHostByWeightWhateverTheyDoElsewhere() {
        var contended = 0;
        for (var seed = 0; seed < SETS; seed++) {
            try (var set = new JobSet(seed)) {
                set.delays(3000);
                var hosts = 1 + set.random.nextInt(4);
                for (var host = 0; host < hosts; host++) {
                    set.add("h" + host + ".example", set.someJobs());
                }
                for (var job : set.weights.keySet()) {
                    if (set.random.nextBoolean()) {
                        set.add("own" + job.number() + ".example", Set.of(job));
                    }
                }
                var max = set.random.nextBoolean() ? 100 : 1 + set.random.nextInt(3);
                for (var step = 0; step < 120; step++) {
                    set.step(max, 3000, set.weights.keySet());
                }
                for (var turns : set.turnsByHost.entrySet()) {
                    var host = turns.getKey();
                    checkShares(
                            "seed " + seed + ", " + host,
                            turns.getValue(),
                            Objects.requireNonNull(set.jobsByHost.get(host)),
                            set.weights);
                    contended += turns.getValue().size() > WINDOW ? 1 : 0;
                }
            }
        }
        assertThat(contended).isGreaterThan(2 * SETS);
    }

    @Test
    void jobsShareTheRequestsByWeightWhileEachHasAReadyHost() {
        for (var seed = 0; seed < SETS / 4; seed++) {
            try (var set = new JobSet(seed)) {
                set.delays(0);
                var max = 1 + set.random.nextInt(4);
                for (var job : set.weights.keySet()) {
                    for (var host = 0; host <= max; host++) {
                        set.add("own" + job.number() + "-" + host + ".example", Set.of(job));
                    }
                }
                if (set.random.nextBoolean()) {
                    set.add("shared.example", set.someJobs());
                }
                while (set.turns.size() < 120) {
                    set.step(max, 1, set.weights.keySet());
                }
                checkShares("seed " + seed, set.turns, set.weights.keySet(), set.weights);
            }
        }
    }

    @Test
    void jobsThatComeAndGoDoNotTakeTheShareOfOthers() {
        for (var seed = 0; seed < SETS / 4; seed++) {
            try (var set = new JobSet(seed)) {
                set.delays(100);
                var jobs = Set.copyOf(set.weights.keySet());
                var steady = new HashSet<>(jobs);
                steady.removeIf(_ -> steady.size() > 1 && set.random.nextBoolean());
                set.add("h.example", jobs);
                for (var step = 0; step < 120; step++) {
                    for (var job : jobs) {
                        if (!steady.contains(job) && set.random.nextInt(4) == 0) {
                            set.offer(job, "h.example", 1 + set.random.nextInt(3));
                        }
                    }
                    set.step(1, 100, steady);
                }
                for (var job : steady) {
                    checkMinimum("seed " + seed, set.turns, job, shareOf(job, jobs, set.weights));
                }
            }
        }
    }

    private static void checkMinimum(String what, List<JobId> turns, JobId job, double share) {
        var most = 0.0;
        var ahead = 0.0;
        for (var i = 0; i < turns.size(); i++) {
            ahead += (turns.get(i).equals(job) ? 1 : 0) - share;
            most = Math.max(most, ahead);
            if (ahead - most < -2 - ROUNDING) {
                fail("%s: %s fell behind by %s at turn %s".formatted(what, job, most - ahead, i));
            }
        }
    }
}
