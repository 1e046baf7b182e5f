package dev.orbweaver.e2e;

import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.engine.Verification;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Hazard;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A crawl that visits its pages again without end, and drops old captures meanwhile, is killed with
 * SIGKILL at random moments. Each visit must be one line that never changes, refer to the visit
 * before, and be dropped only when a later visit has replaced it.
 */
public final class ContinuousKills {

    private static final int HOSTS = 24;
    private static final int MINUTES_MAX = 10;
    private static final Duration DELAY = Duration.ofMillis(20);
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    /** Due times are counted in seconds. */
    private static final Duration ROUNDING = Duration.ofSeconds(1);

    /** Arrivals carry the kernel's stamp; see ADR 3. */
    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    private final Path directory;
    private final int kills;
    private final int pages;
    private final long seed;
    private final Random random;
    private final List<String> wrong = new ArrayList<>();

    /** All visits that were seen in the log after a kill or at the end, by URL and number. */
    private final Map<String, TreeMap<Integer, PageLogEntry>> seen = new HashMap<>();

    /**
     * @param directory an empty one, for everything
     */
    public ContinuousKills(Path directory, int kills, int pages, long seed) {
        this.directory = directory;
        this.kills = kills;
        this.pages = pages;
        this.seed = seed;
        this.random = new Random(seed);
    }

    /** Runs it and returns the figures; {@code wrong} must be empty. */
    public Map<String, Object> run() throws Exception {
        var spec =
                new WebSpec(seed & 0xFFFF, HOSTS, pages, 2_000, 0.3, 100, Set.of())
                        .with(Hazard.VALIDATORS, Hazard.CHANGES, Hazard.BOILERPLATE);
        try (var web = LoopbackWeb.serve(spec)) {
            web.server().holdTime();
            var config =
                    web.config(
                            "delay=" + DELAY.toMillis() + "ms", "delay-ip=0", "max-warc-size=64KB");
            try (var crawl = CrawlOpener.open(config, crawl())) {
                var _ = crawl.run();
            }
            readVisits();
            var urls = seen.size();
            var limit = warcBytes() * 3 / 2;
            for (var kill = 0; kill < kills; kill++) {
                kill(web, limit);
                readVisits();
            }
            finish(web);
            readVisits();
            var left = currentVisits();
            check(web, left);
            var figures = new LinkedHashMap<String, Object>();
            figures.put("kills", kills);
            figures.put("urls", urls);
            figures.put("visits", seen.values().stream().mapToInt(Map::size).sum());
            figures.put("dropped", dropped(left));
            figures.put("limit", limit);
            figures.put("bytes", warcBytes());
            figures.put("requests", web.auditor().requests());
            figures.put("wrong", List.copyOf(wrong));
            figures.put("seed", seed);
            return figures;
        }
    }

    private Path crawl() {
        return directory.resolve("crawl");
    }

    private void kill(LoopbackWeb web, long limit) throws Exception {
        web.server().advanceTime(Duration.ofDays(5));
        var deadly = web.auditor().requests() + random.nextInt(seen.size() / 4, 3 * seen.size());
        var process =
                start(
                        "--set=revisit=every " + INTERVAL.toSeconds() + "s",
                        "--set=retention=" + limit + "B");
        while (web.auditor().requests() < deadly) {
            if (process.waitFor(1, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the crawl has ended: " + output());
            }
        }
        Thread.sleep(0, random.nextInt(900_000)); // Anywhere between two requests.
        process.destroyForcibly().waitFor();
    }

    private void finish(LoopbackWeb web) throws Exception {
        web.server().advanceTime(Duration.ofDays(5));
        var process = start("--set=max-time=5s");
        if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
            process.destroyForcibly().waitFor();
            throw new IllegalStateException("the crawl did not end: " + output());
        }
        var code = process.exitValue();
        require(code == 0 || code == 3, "exit code " + code + ": " + output());
    }

    private Map<Long, PageLogEntry> currentVisits() throws Exception {
        var visits = new HashMap<Long, PageLogEntry>();
        StoredCrawl.pages(List.of(crawl()), Settings.CORE)
                .forEachLine(
                        line -> {
                            if (VisitHistory.isResponse(line.entry())) {
                                visits.put(line.seq(), line.entry());
                            }
                        });
        return visits;
    }

    /** Remembers the visits in the log, which must be those of before and later ones. */
    private void readVisits() throws Exception {
        for (var visit : currentVisits().values()) {
            var before =
                    seen.computeIfAbsent(visit.url(), _ -> new TreeMap<>())
                            .putIfAbsent(visit.visit().number(), visit);
            require(
                    before == null || before.seq() == visit.seq(),
                    "visit %d of %s is recorded twice"
                            .formatted(visit.visit().number(), visit.url()));
        }
    }

    private long dropped(Map<Long, PageLogEntry> left) {
        return seen.values().stream()
                .flatMap(visits -> visits.values().stream())
                .filter(visit -> !left.containsKey(visit.seq()))
                .count();
    }

    private void check(LoopbackWeb web, Map<Long, PageLogEntry> left) throws Exception {
        for (var visits : seen.values()) {
            var last = visits.lastEntry().getValue();
            require(left.containsKey(last.seq()), "the last visit is lost: " + last);
            for (var visit : visits.values()) {
                var before = visits.get(visit.visit().number() - 1);
                if (before != null) {
                    require(visit.parent() == before.seq(), visit + " does not follow " + before);
                    require(
                            !visit.time().isBefore(before.time().plus(INTERVAL).minus(ROUNDING)),
                            visit + " is too early after " + before);
                }
            }
        }
        require(dropped(left) > 0, "the retention has dropped no visit");
        require(
                new StoredCrawl(crawl(), web.config()).stats().ledger().balances(),
                "the ledger does not balance");
        Verification.run(
                crawl(),
                Settings.CORE,
                new Findings() {
                    @Override
                    public void damage(Path file, long offset, String message) {
                        wrong.add(file + ", byte " + offset + ": " + message);
                    }

                    @Override
                    public void note(Path file, String message) {}

                    @Override
                    public void checked(long bytes) {}
                });
        var audit =
                web.auditor()
                        .report(
                                new AuditRules(
                                        DELAY, Duration.ZERO, Duration.ZERO, 1, ALLOWANCE, true));
        require(audit.isPolite(), audit.json());
    }

    private long warcBytes() throws IOException {
        try (var files = Files.list(crawl().resolve("warc"))) {
            var bytes = 0L;
            for (var file : files.toList()) {
                bytes += Files.size(file);
            }
            return bytes;
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            wrong.add(otherwise);
        }
    }

    private Process start(String... settings) throws IOException {
        var command = ProgramJvm.program("-Xmx128m");
        command.addAll(List.of("resume", crawl().toString(), "--quiet"));
        command.addAll(List.of(settings));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.txt").toFile())
                .start();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output.txt"), StandardCharsets.UTF_8);
    }
}
