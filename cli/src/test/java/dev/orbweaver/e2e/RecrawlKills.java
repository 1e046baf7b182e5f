package dev.orbweaver.e2e;

import dev.orbweaver.internal.archive.VisitHistory;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.engine.Verification;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
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
 * A crawl of a web that changes is visited again, and the process is killed with SIGKILL at random
 * moments. At the end each URL must have one second visit, with what the server had at that time.
 */
public final class RecrawlKills {

    private static final int HOSTS = 24;
    private static final int MINUTES_MAX = 10;
    private static final Duration DELAY = Duration.ofMillis(20);

    /** Arrivals carry the kernel's stamp; see ADR 3. */
    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    private final Path directory;
    private final int kills;
    private final int pages;
    private final long seed;
    private final Random random;
    private final List<String> wrong = new ArrayList<>();
    private final Map<Long, String> committed = new HashMap<>();

    /**
     * @param directory an empty one, for everything
     */
    public RecrawlKills(Path directory, int kills, int pages, long seed) {
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
                        .with(
                                Hazard.VALIDATORS,
                                Hazard.CHANGES,
                                Hazard.BOILERPLATE,
                                Hazard.LYING_VALIDATORS);
        var killed = 0;
        try (var web = LoopbackWeb.serve(spec)) {
            web.server().holdTime();
            var config = web.config("delay=" + DELAY.toMillis() + "ms", "delay-ip=0");
            try (var crawl = CrawlOpener.open(config, crawl())) {
                var _ = crawl.run();
            }
            var first = visits(1);
            var before = web.server().now();
            web.server().advanceTime(Duration.ofDays(5));
            var requests = web.auditor().requests();
            killed = recrawl(web, Math.max(2, first.size() / (kills + 1)));
            var committedAtLastKill = committed.size();
            check(web, first, before);
            var figures = new LinkedHashMap<String, Object>();
            figures.put("kills", killed);
            figures.put("urls", first.size());
            figures.put("visits", visits(2).size());
            figures.put("committedAtLastKill", committedAtLastKill);
            figures.put("requests", web.auditor().requests() - requests);
            figures.put("wrong", List.copyOf(wrong));
            figures.put("seed", seed);
            return figures;
        }
    }

    private Path crawl() {
        return directory.resolve("crawl");
    }

    /** Runs the recrawl to its end, killed at most every so many requests. */
    private int recrawl(LoopbackWeb web, int requestsPerRun) throws Exception {
        var killed = 0;
        while (true) {
            var process = start();
            var deadly = web.auditor().requests() + random.nextInt(2, requestsPerRun + 2);
            if (killed < kills && runsUntil(process, web, deadly)) {
                Thread.sleep(0, random.nextInt(900_000)); // Anywhere between two requests.
                process.destroyForcibly().waitFor();
                killed++;
                readCommitted();
            } else {
                if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
                    process.destroyForcibly().waitFor();
                    throw new IllegalStateException("the recrawl did not end: " + output());
                }
                var code = process.exitValue();
                require(code == 0, "exit code " + code + ": " + output());
                return killed;
            }
        }
    }

    /** Remembers the visits that were committed at a kill. */
    private void readCommitted() throws Exception {
        StoredCrawl.pages(List.of(crawl()), Settings.CORE)
                .forEachLine(line -> committed.put(line.seq(), line.url()));
    }

    /** Waits until the web has seen so many requests; false when the process ended first. */
    private static boolean runsUntil(Process process, LoopbackWeb web, long requests)
            throws InterruptedException {
        while (web.auditor().requests() < requests) {
            if (process.waitFor(1, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return true;
    }

    private void check(LoopbackWeb web, Map<String, PageLogEntry> first, Duration before)
            throws Exception {
        var second = visits(2);
        for (var url : first.keySet()) {
            require(second.containsKey(url), "no second visit of " + url);
        }
        for (var entry : ArchiveReader.open(crawl()).entries()) {
            require(
                    entry.url().equals(committed.getOrDefault(entry.seq(), entry.url())),
                    "line %d was of %s, now it is of %s"
                            .formatted(entry.seq(), committed.get(entry.seq()), entry.url()));
            var _ = committed.remove(entry.seq());
        }
        require(committed.isEmpty(), "lost lines: " + committed);
        for (var visit : second.values()) {
            checkVisit(web, visit, first, before);
        }
        require(visits(3).isEmpty(), "third visits: " + visits(3).keySet());
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

    /** Checks that a second visit found what the server had, and refers to the first one. */
    private void checkVisit(
            LoopbackWeb web, PageLogEntry visit, Map<String, PageLogEntry> first, Duration before) {
        var last = first.get(visit.url());
        if (last == null) {
            wrong.add("a second visit without a first one: " + visit.url());
            return;
        }
        require(
                visit.parentRef().line() == last.seq(),
                visit.url() + " refers to line " + visit.parent() + ", not " + last.seq());
        var page = web.web().find(visit.url());
        if (visit.kind() != Kind.PAGE || page.isEmpty() || visit.status() == 304) {
            return;
        }
        var now = web.server().now();
        if (web.web().version(page.getAsInt(), before) != web.web().version(page.getAsInt(), now)) {
            require(!visit.digest().equals(last.digest()), visit.url() + " has its old content");
        }
    }

    /** Returns the lines of the visits with this number that had a response, once for each URL. */
    private Map<String, PageLogEntry> visits(int number) throws IOException {
        var visits = new TreeMap<String, PageLogEntry>();
        for (var entry : ArchiveReader.open(crawl()).entries()) {
            if (entry.visit().number() == number && VisitHistory.isResponse(entry)) {
                require(
                        visits.put(entry.url(), entry) == null,
                        "visit %d of %s is recorded twice".formatted(number, entry.url()));
            }
        }
        return visits;
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            wrong.add(otherwise);
        }
    }

    /** Starts the recrawl, or resumes it if its list was written before a kill. */
    private Process start() throws IOException {
        var begun = SeedList.of(crawl()).stream().anyMatch(it -> it.isOf(VisitHistory.LIST_LABEL));
        var command = ProgramJvm.program("-Xmx128m");
        command.addAll(
                begun
                        ? List.of("resume", crawl().toString(), "--quiet")
                        : List.of("recrawl", crawl().toString(), "--all", "--quiet"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.txt").toFile())
                .start();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output.txt"), StandardCharsets.UTF_8);
    }
}
