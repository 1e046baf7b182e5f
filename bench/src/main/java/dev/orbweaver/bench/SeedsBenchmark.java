package dev.orbweaver.bench;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.disk.DiskFrontier;
import dev.orbweaver.internal.frontier.disk.DiskSettings;
import dev.orbweaver.internal.scope.RuleScope;
import dev.orbweaver.internal.seeds.SeedIntake;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Measures how a seed list of millions of lines gets into a frontier, in a small heap. */
final class SeedsBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "seeds",
                    "intake of a seed list with 5 % malformed lines into the disk frontier with"
                            + " -Xmx512m: lines per CPU-second, then again with kills"
                            + " [--lines 10000000] [--hosts 100000] [--kills 3] [--seed N]",
                    options -> new SeedsBenchmark().run(options));

    private static final JobId JOB = new JobId(0);
    private static final int MALFORMED_EVERY = 20;
    private static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 1, Duration.ofMinutes(10));

    private Map<String, Object> run(Options options) throws Exception {
        var lines = options.number("lines", 10_000_000);
        var kills = options.number("kills", 3);
        var seed = options.number("seed", (int) (System.nanoTime() & 0xFFFF));
        var directory = Files.createTempDirectory("orbweaver-bench");
        try {
            var list = writeList(directory, lines, options.number("hosts", 100_000));
            var whole = crawlDirectory(directory.resolve("whole"), list);
            var figures = new LinkedHashMap<String, Object>(Child.start(whole).figures());
            var cpuSeconds = ((Number) figures.get("cpuMillis")).doubleValue() / 1000;
            figures.put("linesPerCpuSecond", lines / cpuSeconds);
            var wallMillis = ((Number) figures.get("wallMillis")).longValue();
            var killed = crawlDirectory(directory.resolve("killed"), list);
            var random = new Random(seed);
            for (var i = 0; i < kills; i++) {
                Child.start(killed)
                        .killAfter(
                                wallMillis / (kills + 1) / 2
                                        + random.nextLong(wallMillis / (kills + 1)));
            }
            var after = Child.start(killed).figures();
            figures.put("kills", kills);
            figures.put("seed", seed);
            figures.put("resumedAtLine", after.get("firstLine"));
            figures.put("rejectedLines", countLines(killed.resolve(DirectoryLayout.SEEDS)));
            var malformed = lines / MALFORMED_EVERY;
            figures.put(
                    Benchmark.HELD,
                    isExact(figures, lines, malformed)
                            && isExact(after, lines, malformed)
                            && figures.get("rejectedLines").equals((long) malformed));
            return figures;
        } finally {
            CrawlProcess.delete(directory);
        }
    }

    private static boolean isExact(Map<String, Object> figures, long lines, long malformed) {
        return figures.get("accepted").equals(lines - malformed)
                && figures.get("refused").equals(malformed)
                && figures.get("duplicate").equals(0L);
    }

    private static long countLines(Path seeds) throws IOException {
        try (var files = Files.list(seeds)) {
            for (var file : files.filter(each -> each.toString().endsWith(".tsv")).toList()) {
                try (var all = Files.lines(file)) {
                    return all.count();
                }
            }
        }
        return 0;
    }

    private static Path writeList(Path directory, int lines, int hosts) throws IOException {
        var list = directory.resolve("urls.txt");
        try (var out = Files.newBufferedWriter(list)) {
            for (var i = 0; i < lines; i++) {
                out.write(
                        i % MALFORMED_EVERY == MALFORMED_EVERY - 1
                                ? "htp:/www.site-" + i + ".example/malformed\n"
                                : "https://www.site-%d.example/section/%d/page-%d.html\n"
                                        .formatted(i * 7919L % hosts, i % 97, i));
            }
        }
        return list;
    }

    private static Path crawlDirectory(Path directory, Path list) throws IOException {
        Files.createDirectories(directory);
        if (!SeedList.addReference(directory, list)) {
            throw new IllegalStateException(directory + " has the list already");
        }
        return directory;
    }

    /** A process of its own, with a small heap. */
    private record Child(Process process) {

        private static Child start(Path directory) throws IOException {
            var command = new ArrayList<String>();
            command.add(ProcessHandle.current().info().command().orElse("java"));
            command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"));
            command.add("--sun-misc-unsafe-memory-access=allow");
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
            command.addAll(List.of(Intake.class.getName(), directory.toString()));
            return new Child(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        }

        private void killAfter(long millis) throws InterruptedException {
            if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the intake ended before it was killed");
            }
            process.destroyForcibly().waitFor();
        }

        private Map<String, Object> figures() throws IOException, InterruptedException {
            var figures = new LinkedHashMap<String, Object>();
            try (var out = process.inputReader()) {
                for (var line = out.readLine(); line != null; line = out.readLine()) {
                    var equals = line.indexOf('=');
                    if (equals > 0) {
                        figures.put(
                                line.substring(0, equals),
                                Long.valueOf(line.substring(equals + 1)));
                    }
                }
            }
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the intake failed with " + process.exitValue());
            }
            return figures;
        }
    }

    /** Reads the seed lists of a directory into its frontier, as a crawl does. */
    static final class Intake {

        private Intake() {}

        public static void main(String[] args) throws Exception {
            var directory = Path.of(args[0]);
            var begun = System.nanoTime();
            try (var frontier =
                    DiskFrontier.open(
                            new RealDisk(),
                            directory.resolve("frontier"),
                            POLITENESS,
                            DiskSettings.DEFAULT,
                            Instant.now())) {
                var job = frontier.job(JOB);
                var urls = new CrawlUrls(Normalisation.DEFAULT, job.fingerprintKey());
                var scope = new RuleScope(CrawlConfig.of("http://localhost/").scope(), List.of());
                job.forEachSeedHost(scope::addSeedHost);
                var first = job.seedPositions().stream().mapToLong(each -> each.lines()).sum();
                var failure = new AtomicReference<Throwable>();
                try (var intake =
                        new SeedIntake(
                                directory,
                                new SeedIntake.Target(
                                        job, urls, scope::withSeed, () -> true, failure::set),
                                InstantSource.system())) {
                    intake.start();
                    for (var polls = 0; intake.isPending() && failure.get() == null; polls++) {
                        Thread.sleep(100);
                        if (polls % 50 == 49) {
                            System.err.println("bench: " + intake.progress());
                        }
                    }
                }
                if (failure.get() != null) {
                    throw new IllegalStateException(failure.get());
                }
                var ledger = job.ledger();
                System.out.println("firstLine=" + first);
                System.out.println("accepted=" + ledger.accepted());
                System.out.println("refused=" + ledger.refused());
                System.out.println("duplicate=" + ledger.duplicate());
                System.out.println("cpuMillis=" + Cpu.processNanos() / 1_000_000);
                System.out.println("wallMillis=" + (System.nanoTime() - begun) / 1_000_000);
                System.out.println("rssBytes=" + Cpu.status("VmHWM"));
            }
        }
    }
}
