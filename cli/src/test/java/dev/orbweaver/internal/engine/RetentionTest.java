package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.CrawlDiff;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.archive.PageFilter;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.disk.CrashingDisk;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.Compaction;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Replaced captures are dropped, and everything that is current stays. */
@Slow
class RetentionTest {

    private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
    private static final String SHARED = "words that two pages share ".repeat(40);

    @TempDir Path temporary;
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int day;
    private volatile int words = 300;
    private HtmlSite site;
    private Path directory;
    private CrawlConfig config;

    /**
     * The start page never changes; {@code /changing} is new each day; {@code /was-shared} has on
     * the first day the text that {@code /shared} keeps.
     */
    private String page(String path) {
        return switch (path) {
            case "/" ->
                    "<title>Start</title><a href=/changing>1</a> <a href=/was-shared>2</a>"
                            + "<a href=/gone>4</a>";
            case "/changing" -> "<title>Changing</title>day " + day + " " + noise(day);
            case "/was-shared" ->
                    day == 0
                            ? "<title>Shared</title>" + SHARED + "<a href=/shared>3</a>"
                            : "<title>Own</title>own text of day " + day + " " + noise(-day);
            case "/shared" -> "<title>Shared</title>" + SHARED + "<a href=/shared>3</a>";
            case "/gone" -> day < 2 ? "<title>Gone</title>page that goes " + noise(77) : "";
            default -> "";
        };
    }

    private String noise(int seed) {
        var text = new StringBuilder();
        var random = new Random(seed);
        for (var i = 0; i < words; i++) {
            text.append(Integer.toString(random.nextInt(1 << 20), 36)).append(' ');
        }
        return text.toString();
    }

    @BeforeEach
    void serve() throws Exception {
        site =
                HtmlSite.serve(
                        (path, _) -> {
                            requests.incrementAndGet();
                            return page(path);
                        });
        directory = temporary.resolve("crawl");
        config =
                CrawlConfig.of(site.url("/"))
                        .withSetting("delay", "0")
                        .withSetting("sitemaps", "false")
                        .withSetting("max-warc-size", "3KB")
                        .withSetting("contact", "me@a.test");
    }

    @AfterEach
    void stop() {
        site.close();
    }

    @Test
    void diskIsBoundedOverManyRecrawlsAndTheCurrentPagesStay() throws Exception {
        config = config.withSetting(Retention.KEY, "3d");
        visitOn(0);
        var sizes = new ArrayList<Long>();
        for (var next = 1; next <= 16; next++) {
            visitOn(next);
            sizes.add(warcBytes());
            assertThat(exported(BEGIN.plus(Duration.ofDays(next + 1))))
                    .as("day %d", next)
                    .contains("day " + next + " ", "own text of day " + next, SHARED.strip())
                    .doesNotContain("day " + (next - 1) + " ");
            assertThat(CrawlFiles.damages(directory)).as("day %d", next).isEmpty();
        }
        assertThat(sizes.getLast())
                .as("%s", sizes)
                .isLessThan(sizes.get(6) * 5 / 4)
                .isLessThan(4 * sizes.getFirst());
        assertThat(CrawlFiles.entries(directory))
                .extracting(PageLogEntry::seq)
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(CrawlFiles.entries(directory).size()).isLessThan(50);
    }

    @Test
    void theCrawlAsOfAnyTimeWithinTheAgeIsAsItWas() throws Exception {
        for (var next = 0; next <= 6; next++) {
            visitOn(next);
        }
        var before = new ArrayList<String>();
        for (var hours = 4 * 24; hours <= 7 * 24; hours += 6) {
            before.add(exported(BEGIN.plus(Duration.ofHours(hours))));
        }
        assertThat(compact("3d", new RealDisk()).captures()).isPositive();
        var after = new ArrayList<String>();
        for (var hours = 4 * 24; hours <= 7 * 24; hours += 6) {
            after.add(exported(BEGIN.plus(Duration.ofHours(hours))));
        }
        assertThat(after).isEqualTo(before);
        assertThat(compact("3d", new RealDisk()).captures()).isZero();
    }

    @Test
    void aRecordThatAKeptRevisitNeedsIsKeptButNotShownAsCurrent() throws Exception {
        for (var next = 0; next <= 3; next++) {
            visitOn(next);
        }
        var original = lastEntry("/shared").original();
        assertThat(original.warc()).isNotEmpty();
        var _ = compact("1h", new RealDisk());
        var kept =
                CrawlFiles.entries(directory).stream()
                        .filter(PageLogEntry::superseded)
                        .map(PageLogEntry::url)
                        .toList();
        assertThat(kept).anyMatch(url -> url.endsWith("/was-shared"));
        var text = exported(BEGIN.plus(Duration.ofDays(9)));
        assertThat(text).contains("own text of day 3", SHARED.strip());
        assertThat(text.split("words that two pages share", -1))
                .as("only /shared shows the shared text")
                .hasSize(SHARED.split("words that two pages share", -1).length);
        assertThat(CrawlFiles.damages(directory)).isEmpty();
        visitOn(4);
        assertThat(exported(BEGIN.plus(Duration.ofDays(9))))
                .contains("own text of day 4")
                .doesNotContain("page that goes", "own text of day 3");
    }

    @Test
    void aLimitOfBytesDropsWhatWasReplacedFirst() throws Exception {
        for (var next = 0; next <= 6; next++) {
            visitOn(next);
        }
        var before = warcBytes();
        var limit = before * 3 / 4;
        var outcome = compact(limit + "B", new RealDisk());
        assertThat(outcome.captures()).isPositive();
        assertThat(warcBytes()).isLessThanOrEqualTo(limit).isGreaterThan(limit / 2);
        assertThat(CrawlFiles.entries(directory))
                .anyMatch(entry -> entry.visit().number() == 6 && entry.url().contains("/cha"));
        assertThat(CrawlFiles.entries(directory))
                .noneMatch(entry -> entry.visit().number() == 1 && entry.url().contains("/cha"));
    }

    @Test
    void whenTheNewestCapturesExceedTheLimitNothingIsFetched() throws Exception {
        visitOn(0);
        visitOn(1);
        config = config.withSetting(Retention.KEY, "1KB");
        requests.set(0);
        assertThatThrownBy(() -> visitOn(2))
                .hasMessageContaining("more than the retention of 1024: raise it");
        assertThat(requests).hasValue(0);
        assertThat(exported(BEGIN.plus(Duration.ofDays(9))))
                .contains("own text of day 1", SHARED.strip());
    }

    /** Each second two pages have other content, more than a quarter of the limit together. */
    @Test
    void aRunningCrawlDropsOldCapturesAndStopsWhenTheNewestExceedTheLimit() throws Exception {
        words = 20_000;
        var limit = 600_000L;
        var running =
                config.withSetting(Retention.KEY, limit + "B")
                        .withSetting("revisit", "1s")
                        .withSetting("max-warc-size", "100KB");
        var changes = changeEveryRequest();
        try (var crawl = CrawlOpener.open(running, directory)) {
            var end = CompletableFuture.supplyAsync(() -> run(crawl));
            for (var pass = 0; pass < 3; pass++) {
                var dropped = firstChangingVisit();
                Eventually.until(
                        "captures are dropped in pass " + pass,
                        () -> {
                            assertThat(end).isNotDone();
                            return firstChangingVisit() > dropped;
                        });
                assertThat(warcBytes()).isLessThan(2 * limit);
            }
            var visits = requests.get();
            Eventually.until("it goes on", () -> requests.get() > visits + 5);
            words = 400_000;
            assertThat(end.get().reason()).isEqualTo(CrawlEnd.Reason.RETENTION);
            assertThat(end.get().detail()).contains("more than the retention of " + limit);
            assertThat(crawl.summary(end.get()).requests()).isGreaterThan(20);
        } finally {
            changes.close();
        }
        assertThat(CrawlReports.read(directory).orElseThrow().reason()).isEqualTo("retention");
        assertThat(CrawlFiles.damages(directory)).isEmpty();
        requests.set(0);
        assertThatThrownBy(() -> CrawlOpener.open(running, directory).close())
                .hasMessageContaining("more than the retention of " + limit);
        assertThat(requests).hasValue(0);
    }

    private static CrawlEnd run(OpenCrawl crawl) {
        try {
            return crawl.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Changes the content of the pages while the returned object is open. */
    private Closeable changeEveryRequest() {
        var changing = new AtomicBoolean(true);
        var thread =
                Thread.startVirtualThread(
                        () -> {
                            while (changing.get()) {
                                day = 1 + requests.get();
                                LockSupport.parkNanos(10_000_000);
                            }
                        });
        return () -> {
            changing.set(false);
            thread.interrupt();
        };
    }

    /** Returns the number of the earliest visit of the changing page that the log has. */
    private int firstChangingVisit() throws IOException {
        var log = Compaction.currentLog(directory);
        var first = new int[] {Integer.MAX_VALUE};
        if (Files.exists(log)) {
            PageLog.read(
                    log,
                    entry -> {
                        if (entry.url().endsWith("/changing")) {
                            first[0] = Math.min(first[0], entry.visit().number());
                        }
                    });
        }
        return first[0] == Integer.MAX_VALUE ? 0 : first[0];
    }

    @Test
    void aPassIsStoppedBeforeItHasChangedAnything() throws Exception {
        words = 20_000;
        var running =
                config.withSetting(Retention.KEY, "600000B")
                        .withSetting("revisit", "1s")
                        .withSetting("max-warc-size", "100KB");
        var crawl = new AtomicReference<OpenCrawl>();
        var log = directory.resolve(DirectoryLayout.PAGE_LOG_COMPACTED);
        var disk = diskThatCalls(log, () -> crawl.get().stop(Duration.ZERO));
        var changes = changeEveryRequest();
        try (var opened =
                CrawlOpener.open(
                        running, directory, CrawlListener.NONE, disk, InstantSource.system())) {
            crawl.set(opened);
            var end = opened.run();
            assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.STOPPED);
            assertThat(end.detail()).contains("stopped while old captures were being dropped");
        } finally {
            changes.close();
        }
        assertThat(firstChangingVisit()).isEqualTo(1);
        assertThat(CrawlReports.read(directory).orElseThrow().reason()).isEqualTo("stopped");
        assertThat(CrawlFiles.damages(directory)).isEmpty();
        CrawlOpener.open(running, directory).close();
        assertThat(firstChangingVisit()).as("the next run drops them").isGreaterThan(1);
    }

    /** Returns the real disk, which calls an action when a file is about to be written. */
    private static Disk diskThatCalls(Path file, Runnable action) {
        var disk = new RealDisk();
        return (Disk)
                Proxy.newProxyInstance(
                        Disk.class.getClassLoader(),
                        new Class<?>[] {Disk.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("append") && file.equals(arguments[0])) {
                                action.run();
                            }
                            try {
                                return method.invoke(disk, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getTargetException();
                            }
                        });
    }

    @Test
    void changesOfBeforeTheAgeAreDropped() throws Exception {
        visitOn(0);
        visitOn(1);
        try (var log = ChangeLog.open(directory, Long.MAX_VALUE)) {
            for (var next = 0; next < 10; next++) {
                var time = BEGIN.plus(Duration.ofDays(next));
                log.add(
                        new ChangeLog.Change(
                                next + 1, next, ChangeLog.Kind.TEXT, "http://a.test/", time, time));
            }
        }
        var _ = compact("3d", new RealDisk());
        try (var reader = ChangeLogReader.open(directory, 0)) {
            assertThat(reader.next(100))
                    .extracting(ChangeLogReader.Change::seq)
                    .containsExactly(5L, 6L, 7L, 8L, 9L, 10L);
        }
    }

    @Test
    void aMissingPageIsGoneAfterAnotherVisitMoreThanADayLater() throws Exception {
        for (var next = 0; next <= 2; next++) {
            visitOn(next);
        }
        assertThat(changesSinceTheFirstDay()).contains("changed ").doesNotContain("gone ");
        visitOn(4); // The clock of a crawl moves, so day 3 may be less than a day later.
        assertThat(changesSinceTheFirstDay()).contains("gone     " + site.url("/gone") + "\n");
    }

    private String changesSinceTheFirstDay() throws Exception {
        var out = new ByteArrayOutputStream();
        var pages = StoredCrawl.pages(List.of(directory), Settings.CORE);
        var _ =
                CrawlDiff.run(
                        pages.asOf(BEGIN.plus(Duration.ofHours(36))),
                        pages,
                        PageFilter.ALL,
                        CrawlDiff.Settings.DEFAULT,
                        new ExportTarget.StreamTarget(out));
        return out.toString(UTF_8);
    }

    @Test
    void aPassMayBeKilledAtAnyStep() throws Exception {
        for (var next = 0; next <= 3; next++) {
            visitOn(next);
        }
        var end = BEGIN.plus(Duration.ofDays(9));
        var expected = exported(end);
        var whole = temporary.resolve("whole");
        CrawlFiles.copy(directory, whole);
        var kills = 0;
        for (var step = 0; ; step++) {
            CrawlFiles.delete(directory);
            CrawlFiles.copy(whole, directory);
            var disk = new CrashingDisk(new RealDisk(), step);
            try {
                var _ = compact("1h", disk);
            } catch (IOException | RuntimeException e) {
                assertThat(disk.hasCrashed()).as("step %d: %s", step, e).isTrue();
            }
            if (!disk.hasCrashed()) {
                break;
            }
            kills++;
            assertThat(exported(end)).as("read after a kill at step %d", step).isEqualTo(expected);
            var _ = compact("1h", new RealDisk());
            assertThat(exported(end)).as("compacted after step %d", step).isEqualTo(expected);
            assertThat(CrawlFiles.damages(directory)).as("step %d", step).isEmpty();
            assertThat(CrawlFiles.entries(directory))
                    .as("step %d", step)
                    .noneMatch(entry -> entry.url().contains("/cha") && entry.visit().number() < 4);
            if (step % 8 == 0) {
                visitOn(4);
                assertThat(exported(end)).as("step %d", step).contains("own text of day 4");
                day = 3;
            }
        }
        assertThat(kills).isGreaterThan(20);
    }

    private Compaction.Outcome compact(String retention, Disk disk) throws Exception {
        return new StoredCrawl(directory, config.withSetting(Retention.KEY, retention))
                .compact(disk, BEGIN.plus(Duration.ofDays(7)));
    }

    /** Crawls on the first day, and visits every URL again on a later one. */
    private void visitOn(int next) throws Exception {
        day = next;
        var first = !StoredCrawl.isCrawl(directory);
        if (!first) {
            var _ =
                    RecrawlList.add(
                            StoredCrawl.pages(List.of(directory), Settings.CORE), _ -> true);
        }
        try (var crawl =
                CrawlOpener.open(
                        config,
                        directory,
                        CrawlListener.NONE,
                        new RealDisk(),
                        InstantSource.fixed(BEGIN.plus(Duration.ofDays(next))))) {
            var _ = crawl.run();
        }
    }

    private long warcBytes() throws IOException {
        var bytes = 0L;
        for (var file : new RealDisk().list(directory.resolve(DirectoryLayout.WARC))) {
            bytes += Files.size(file);
        }
        return bytes;
    }

    private PageLogEntry lastEntry(String path) throws IOException {
        return CrawlFiles.entries(directory).stream()
                .filter(entry -> entry.url().endsWith(path))
                .reduce((_, last) -> last)
                .orElseThrow();
    }

    private String exported(Instant asOf) throws Exception {
        var out = new ByteArrayOutputStream();
        var _ =
                ExportRunner.run(
                        StoredCrawl.pages(List.of(directory), Settings.CORE).asOf(asOf),
                        ExportSettings.of(ExportFormat.CHUNKS, new ExportTarget.StreamTarget(out)));
        return out.toString(UTF_8);
    }
}
