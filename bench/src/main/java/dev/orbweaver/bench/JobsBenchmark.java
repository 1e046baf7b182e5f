package dev.orbweaver.bench;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures what other jobs of a frontier cost a lease, a link and a settlement. */
final class JobsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "jobs",
                    "CPU per lease, link and settlement beside other jobs: on hosts of their own,"
                            + " on the same host, and ended ones on the same host [--jobs 1000]"
                            + " [--turns 100000]",
                    options -> new JobsBenchmark().run(options));

    private static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(10));
    private static final int LEASES = 16;
    private static final int OWN_HOSTS = 4;

    private enum Others {
        OWN_HOSTS,
        SAME_HOST,
        ENDED
    }

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);
    private int pages;

    private Map<String, Object> run(Options options) {
        var jobs = options.number("jobs", 1000);
        var turns = options.number("turns", 100_000);
        var figures = new LinkedHashMap<String, Object>();
        for (var others : Others.values()) {
            measure(others, 10, turns / 2, new LinkedHashMap<>()); // Warms up.
            measure(others, 10, turns, figures);
            measure(others, jobs, turns, figures);
        }
        return figures;
    }

    private List<Candidate> link(String host) {
        var url = urls.parse("http://" + host + "/" + pages++).orElseThrow();
        return List.of(new Candidate(url, Hop.LINK, 1, 0));
    }

    private void measure(Others others, int jobs, int turns, Map<String, Object> figures) {
        var now = Instant.parse("2030-01-01T00:00:00Z");
        var frontier = WorkbenchFrontier.inMemory(POLITENESS, now);
        var wanted = new HashMap<JobId, Integer>();
        for (var number = 1; number <= jobs; number++) {
            var job = new JobId(number);
            frontier.setWeight(job, 1 + number % 100);
            frontier.setPoliteness(job, POLITENESS, now);
            for (var i = 0; i < 3 * OWN_HOSTS; i++) {
                var own = "h" + number + "-" + i % OWN_HOSTS + ".example";
                var host = others == Others.OWN_HOSTS ? own : "h.example";
                var _ = frontier.job(job).offer(link(host), now);
            }
            if (others != Others.ENDED || number == 1) {
                wanted.put(job, Integer.MAX_VALUE);
            }
        }
        var ended = new ArrayList<JobId>();
        for (var number = 1; number <= jobs; number++) {
            if (!wanted.containsKey(new JobId(number))) {
                ended.add(new JobId(number));
            }
        }
        frontier.setActive(ended, false);
        var leaseNanos = 0L;
        var linkNanos = 0L;
        var settleNanos = 0L;
        var done = 0;
        while (done < turns) {
            var start = Cpu.threadNanos();
            var leases = frontier.lease(LEASES, wanted, now);
            leaseNanos += Cpu.threadNanos() - start;
            for (var lease : leases) {
                var found = link(lease.url().host());
                var batch =
                        new CommitBatch(
                                List.of(
                                        Settlement.of(
                                                lease,
                                                new Outcome.Done(true, 1),
                                                new HostSignal.Healthy(now))),
                                List.of());
                start = Cpu.threadNanos();
                var offered = frontier.job(lease.job()).offer(found, now).isStored();
                var middle = Cpu.threadNanos();
                var settled = frontier.settle(batch, now).isStored();
                linkNanos += middle - start;
                settleNanos += Cpu.threadNanos() - middle;
                if (!offered || !settled) {
                    throw new IllegalStateException("a frontier in memory stores every change");
                }
                done++;
            }
            now = now.plusMillis(1);
        }
        var name = others.name().toLowerCase(Locale.ROOT).replace('_', '-');
        figures.put(name + "-" + jobs + "-leaseNanos", leaseNanos / done);
        figures.put(name + "-" + jobs + "-linkNanos", linkNanos / done);
        figures.put(name + "-" + jobs + "-settleNanos", settleNanos / done);
    }
}
