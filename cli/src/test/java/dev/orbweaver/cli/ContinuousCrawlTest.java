package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.e2e.ProgramJvm;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Crawls that visit their pages again while they run. */
@Slow
class ContinuousCrawlTest {

    private static final String TEXT =
            "The manual explains how each part is installed. ".repeat(30);
    private static final int PAGES = 12;

    /** Half of the interval of these crawls. */
    private static final Duration INTERVAL_MIN = Duration.ofSeconds(1);

    @TempDir Path directory;
    private ChangingSite site;

    @BeforeEach
    void start() throws IOException {
        site = new ChangingSite();
        site.page("/", "All pages of the manual.");
        for (var i = 0; i < PAGES; i++) {
            site.page("/page" + i, TEXT + "This is part " + i + ".");
        }
        site.page("/plain/a", TEXT + "No validators.");
    }

    @AfterEach
    void close() {
        site.close();
    }

    private static CommandResult run(Object... words) {
        return CommandResult.run(
                List.of(words).stream().map(Object::toString).toArray(String[]::new));
    }

    private Path out() {
        return directory.resolve("out");
    }

    private Map<String, List<PageLogEntry>> visits() throws IOException {
        var visits = new HashMap<String, List<PageLogEntry>>();
        PageLog.read(
                out().resolve(DirectoryLayout.PAGE_LOG),
                entry -> {
                    if (entry.kind() != Kind.ROBOTS && entry.kind() != Kind.RETRIED) {
                        visits.computeIfAbsent(entry.url(), _ -> new ArrayList<>()).add(entry);
                    }
                });
        return visits;
    }

    private List<String> changes() throws IOException {
        return Files.readAllLines(out().resolve(DirectoryLayout.CHANGES));
    }

    /** Waits until the crawl has found each of these pages unchanged. */
    private void awaitSecondVisits(String... paths) {
        var visited = new HashSet<String>();
        Eventually.until(
                "second visits of " + List.of(paths),
                () -> {
                    for (var request : site.takeRequests()) {
                        if (request.contains(" 304")) {
                            visited.add(request.substring(0, request.indexOf(' ')));
                        }
                    }
                    return visited.containsAll(List.of(paths));
                });
    }

    /** Each visit is one line, and refers to the line of the visit before. */
    private void requireChains() throws Exception {
        for (var entry : visits().entrySet()) {
            var visits = entry.getValue();
            for (var i = 1; i < visits.size(); i++) {
                var last = visits.get(i - 1);
                var visit = visits.get(i);
                assertThat(visit.visit().number()).as("%s", visits).isEqualTo(i + 1);
                assertThat(visit.parent()).as("%s", visits).isEqualTo(last.seq());
                assertThat(visit.firstLine()).isEqualTo(visits.getFirst().seq());
                assertThat(visit.time()).isAfterOrEqualTo(last.time().plus(INTERVAL_MIN));
            }
        }
        var ledger = StoredCrawl.open(out(), Settings.CORE).stats().ledger();
        assertThat(ledger.balances()).isTrue();
        assertThat(ledger.dead()).isZero();
    }

    @Test
    void pagesAreVisitedAtTheirIntervalAndChangesAreRecorded() throws Exception {
        var running =
                CompletableFuture.supplyAsync(
                        () ->
                                run(
                                        "crawl",
                                        site.url(),
                                        "--out",
                                        out(),
                                        "--delay=0",
                                        "--quiet",
                                        "--revisit=every 2s",
                                        "--max-time=9s"));
        awaitSecondVisits("/page1", "/page3", "/page4");
        site.page("/page3", TEXT + "This is the new text of part three.");
        site.page("/page4", "");
        var ended = running.join();
        assertThat(ended.code()).as(ended.err()).isIn(0, 3);
        requireChains();
        assertThat(visits().get(site.url() + "page1"))
                .hasSizeBetween(4, 9)
                .extracting(PageLogEntry::status)
                .startsWith(200, 304)
                .containsOnlyOnce(200);
        assertThat(changes())
                .filteredOn(line -> line.contains("/page3"))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("\"kind\":\"text\""));
        assertThat(changes())
                .filteredOn(line -> line.contains("/page4"))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("\"kind\":\"missing\""));
        assertThat(changes())
                .filteredOn(line -> line.contains("/plain/a"))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).contains("\"kind\":\"markup\""));
        assertThat(changes()).noneMatch(line -> line.contains("/page1\""));
        assertThat(run("verify", out()).code()).isZero();
        assertThat(run("changes", out(), "--quiet").out())
                .contains("changed  " + site.url() + "page3\n")
                .doesNotContain("page1");
        assertThat(run("recrawl", out(), "--newer-in-sitemaps").err())
                .contains("(revisit=every 2s), so --newer-in-sitemaps cannot select pages")
                .contains("add --set revisit=never");
    }

    @Test
    void theBudgetIsKept() throws Exception {
        var ended =
                run(
                        "crawl",
                        site.url(),
                        "--out",
                        out(),
                        "--delay=0",
                        "--quiet",
                        "--revisit=2s",
                        "--revisit-budget=5400/h",
                        "--max-time=8s");
        assertThat(ended.code()).as(ended.err()).isIn(0, 3);
        var again =
                visits().values().stream()
                        .flatMap(List::stream)
                        .filter(entry -> !entry.visit().isFirst())
                        .count();
        assertThat(again).isBetween(6L, 14L);
        requireChains();
    }

    @Test
    void killsLoseNoVisitAndRepeatNone() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_262L);
        System.out.println("ContinuousCrawlTest: replay with -Dorbweaver.seed=" + seed);
        var random = new Random(seed);
        for (var kill = 0; kill < 5; kill++) {
            var _ = site.takeRequests();
            var process = startProgram("--delay=0");
            awaitSecondVisits("/page1");
            Thread.sleep(Duration.ofMillis(random.nextInt(1_000)));
            site.page("/page5", TEXT + "Version " + kill + ".");
            Thread.sleep(Duration.ofMillis(random.nextInt(1_000)));
            assertThat(process.isAlive()).as(log()).isTrue();
            process.destroyForcibly().waitFor();
        }
        site.page("/page5", TEXT + "The last version.");
        assertThat(run("resume", out(), "--quiet", "--set=max-time=4s").code()).isIn(0, 3);
        requireChains();
        assertThat(visits().get(site.url() + "page1")).hasSizeGreaterThan(5);
        var changed =
                visits().getOrDefault(site.url() + "page5", List.of()).stream()
                        .filter(entry -> !entry.visit().isFirst() && entry.status() == 200)
                        .count();
        assertThat(changes().stream().filter(line -> line.contains("/page5")))
                .hasSize((int) changed);
        assertThat(run("verify", out()).code()).isZero();
    }

    /** All pages are queued by the schedule, for the host's delay, when the list has them too. */
    @Test
    void aPageThatIsListedAndDueIsQueuedOnce() throws Exception {
        var process = startProgram("--delay=200ms");
        try {
            Eventually.until(
                    "pages are queued by the schedule",
                    () -> process.isAlive() && Files.exists(out()) && queuedAgain() >= PAGES / 2);
            assertThat(run("recrawl", out(), "--all", "--set=delay=1s").err())
                    .contains("is running, so --set would have no effect");
            assertThat(run("recrawl", out(), "--all", "--quiet").code()).isZero();
            var before = Files.size(out().resolve(DirectoryLayout.PAGE_LOG));
            Eventually.until(
                    "the listed pages are visited",
                    () -> {
                        var ledger = StoredCrawl.open(out(), Settings.CORE).stats().ledger();
                        assertThat(ledger.done()).as("%s", ledger).isNotNegative();
                        assertThat(ledger.pages()).as("%s", ledger).isNotNegative();
                        assertThat(ledger.balances()).as("%s", ledger).isTrue();
                        return Files.size(out().resolve(DirectoryLayout.PAGE_LOG)) > 2 * before;
                    });
        } finally {
            process.destroyForcibly().waitFor();
        }
        requireChains();
    }

    private long queuedAgain() throws Exception {
        if (!StoredCrawl.isCrawl(out())) {
            return 0;
        }
        var crawl = StoredCrawl.open(out(), Settings.CORE);
        return crawl.revisits().map(revisits -> revisits.queued()).orElse(0L);
    }

    @Test
    void aDamagedScheduleIsBuiltAgainAndStatusWorksMeanwhile() throws Exception {
        var first =
                run(
                        "crawl",
                        site.url(),
                        "--out",
                        out(),
                        "--delay=0",
                        "--quiet",
                        "--revisit=1d",
                        "--max-time=4s");
        assertThat(first.code()).as(first.err()).isIn(0, 3);
        var pages = out().resolve(DirectoryLayout.REVISITS).resolve("pages");
        var bytes = Files.readAllBytes(pages);
        bytes[4] ^= 1; // The header: nothing of the file can be read.
        Files.write(pages, bytes);
        var status = run("status", out());
        assertThat(status.code()).as(status.err()).isZero();
        assertThat(run("status", out(), "--json").code()).isZero();
        assertThat(run("why", out(), site.url() + "page1").code()).isZero();
        assertThat(StoredCrawl.open(out(), Settings.CORE).dueRevisits()).isEmpty();
        var again = run("resume", out(), "--quiet", "--set=max-time=3s");
        assertThat(again.code()).as(again.err()).isIn(0, 3);
        var built = StoredCrawl.open(out(), Settings.CORE).revisits().orElseThrow();
        assertThat(built.pages()).isEqualTo(PAGES + 2);
    }

    private Process startProgram(String delay) throws IOException {
        var exists = StoredCrawl.isCrawl(out());
        var command = ProgramJvm.program("-Xmx128m");
        command.addAll(
                exists
                        ? List.of("resume", out().toString(), "--quiet")
                        : List.of(
                                "crawl",
                                site.url(),
                                "--out",
                                out().toString(),
                                delay,
                                "--quiet",
                                "--revisit=2s"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
                .start();
    }

    private Path logFile() {
        return directory.resolve("program.log");
    }

    private String log() throws IOException {
        return Files.readString(logFile());
    }
}
