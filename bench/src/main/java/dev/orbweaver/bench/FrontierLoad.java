package dev.orbweaver.bench;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.WorkbenchFrontier;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The process that {@link FrontierBenchmark} starts, with the memory of a crawl: {@code fill}
 * offers new URLs, then seen ones, and halts; {@code serve} reopens the frontier and leases the
 * URLs.
 */
final class FrontierLoad {

    private static final int BATCH = 1000;
    private static final JobId JOB = new JobId(1);
    private static final Politeness POLITENESS =
            new Politeness(
                    Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, 1, Duration.ofHours(10));

    private final Path directory;
    private final UrlSource source;
    private final long urls;

    private FrontierLoad(Path directory, long urls, int hosts) {
        this.directory = directory;
        this.source = new UrlSource(hosts);
        this.urls = urls;
    }

    public static void main(String[] args) throws Exception {
        var load =
                new FrontierLoad(
                        Path.of(args[1]), Long.parseLong(args[2]), Integer.parseInt(args[3]));
        switch (args[0]) {
            case "fill" -> load.fill();
            case "serve" -> load.serve();
            case "rocksdb" -> RocksLoad.run(load.directory, load.source, load.urls);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private WorkbenchFrontier open(Instant now) throws IOException {
        return DiskFrontier.open(new RealDisk(), directory, POLITENESS, now);
    }

    private void fill() throws IOException {
        var frontier = open(Instant.now());
        var all = new Meter();
        var tenth = urls / 10;
        var parts = new ArrayList<Double>();
        var part = new Meter();
        var anon = 0L;
        for (var number = 0L; number < urls; number += BATCH) {
            offer(frontier, number, all, part);
            if ((number + BATCH) % tenth == 0) {
                parts.add(part.micros(tenth));
                part = new Meter();
                anon = Math.max(anon, Cpu.status("RssAnon"));
                System.err.printf(
                        "frontier: %,d of %,d URLs, %.2f us each in this tenth%n",
                        number + BATCH, urls, parts.getLast());
            }
        }
        figure("newUrlCpuMicros", all.micros(urls));
        figure("firstTenthCpuMicros", parts.getFirst());
        figure("lastTenthCpuMicros", parts.getLast());
        figure("queued", frontier.ledger().queued());
        seen(frontier);
        figure("duplicates", frontier.ledger().duplicate());
        figure("peakRssAnonBytes", Math.max(anon, Cpu.status("RssAnon")));
        figure("peakRssBytes", Cpu.status("VmHWM"));
        System.out.flush();
        Runtime.getRuntime().halt(0); // Like a kill.
    }

    private void offer(WorkbenchFrontier frontier, long number, Meter... meters) {
        var before = Cpu.threadNanos();
        var candidates = source.candidates(number, BATCH);
        var making = Cpu.threadNanos() - before;
        for (var meter : meters) {
            meter.leaveOut(making);
        }
        requireStored(frontier.job(JOB).offer(candidates, Instant.now()));
    }

    private static void requireStored(CommitStatus status) {
        if (!status.equals(CommitStatus.durable())) {
            throw new IllegalStateException("not durable: " + status);
        }
    }

    private void seen(WorkbenchFrontier frontier) {
        var offers = Math.min(urls, 20_000_000) / BATCH;
        var meter = new Meter();
        for (var i = 0L; i < offers; i++) {
            offer(frontier, ThreadLocalRandom.current().nextLong(urls / BATCH) * BATCH, meter);
        }
        figure("seenUrlCpuMicros", meter.micros(offers * BATCH));
    }

    private void serve() throws IOException {
        var begun = System.nanoTime();
        var cpu = Cpu.processNanos();
        var now = Instant.now();
        var frontier = open(now);
        figure("openSeconds", (System.nanoTime() - begun) / 1e9);
        figure("openCpuSeconds", (Cpu.processNanos() - cpu) / 1e9);
        figure("queuedAfterKill", frontier.ledger().queued());
        var hosts = frontier.stats().hosts().ready();
        figure("hosts", hosts);
        lease(frontier, now, 20_000);
        latencies("lease", lease(frontier, now, Math.min(200_000, hosts / 2)));
        // Every host gets one request, all end at the same time, and are due a second later.
        for (var some = frontier.lease(BATCH, now);
                !some.isEmpty();
                some = frontier.lease(BATCH, now)) {
            settle(frontier, some, now);
        }
        var due = now.plusSeconds(2);
        latencies("allDueLease", lease(frontier, due, Math.min(200_000, hosts / 2)));
        figure("servePeakRssAnonBytes", Cpu.status("RssAnon"));
        frontier.close();
        sizes();
    }

    private static long[] lease(WorkbenchFrontier frontier, Instant now, int calls) {
        var nanos = new long[calls];
        for (var i = 0; i < calls; i++) {
            var begun = System.nanoTime();
            var lease = frontier.lease(1, now);
            nanos[i] = System.nanoTime() - begun;
            settle(frontier, lease, now);
        }
        return nanos;
    }

    private static void settle(WorkbenchFrontier frontier, List<Lease> leases, Instant now) {
        var ended =
                leases.stream()
                        .map(
                                lease ->
                                        Settlement.of(
                                                lease,
                                                new Outcome.Done(true, 1),
                                                new HostSignal.Healthy(now)))
                        .toList();
        requireStored(frontier.settle(new CommitBatch(ended, List.of()), now));
    }

    private static void latencies(String name, long[] nanos) {
        Arrays.sort(nanos);
        figure(name + "P50Micros", nanos[nanos.length / 2] / 1e3);
        figure(name + "P99Micros", nanos[nanos.length * 99 / 100] / 1e3);
        figure(name + "MaxMicros", nanos[nanos.length - 1] / 1e3);
    }

    private void sizes() throws IOException {
        var seen = 0L;
        var rest = 0L;
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                var bytes = Files.size(file);
                System.err.println("frontier: " + file.getFileName() + " " + bytes);
                if (file.getFileName().toString().startsWith("seen-")) {
                    seen += bytes;
                } else {
                    rest += bytes;
                }
            }
        }
        figure("seenBytesPerUrl", (double) seen / urls);
        figure("diskBytesPerUrl", (double) rest / urls);
    }

    static void figure(String name, Object value) {
        System.out.println(name + " " + value);
    }

    /** CPU time of the process since creation, minus excluded parts. */
    static final class Meter {
        private final long begun = Cpu.processNanos();
        private long leftOut;

        void leaveOut(long nanos) {
            leftOut += nanos;
        }

        double micros(long operations) {
            return (Cpu.processNanos() - begun - leftOut) / 1e3 / operations;
        }
    }
}
