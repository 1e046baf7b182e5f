package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.AuditRules;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;

/** The whole program over real sockets, judged from the outside. */
@Slow
class WholeCrawlTest {

    /** Arrivals carry the kernel's stamp and sending counts from the write's end; see ADR 3. */
    private static final Duration ALLOWANCE = Duration.ofMillis(5);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void reachesExactlyWhatRobotsAndScopeAllowEachOnceAndArchivesItSoundly() throws Exception {
        var seed = 20_260;
        try (var web =
                LoopbackWeb.serve(WebSpec.light(seed, 100, 8_200).withMeanPageBytes(2_000))) {
            CrawlEnd end;
            try (var crawl = CrawlOpener.open(web.config("concurrency=4"), directory)) {
                end = crawl.run();
                assertThat(crawl.status().frontier().ledger().balances()).isTrue();
            }
            var groundTruth = web.truth();
            var archiveReader = ArchiveReader.open(directory);
            assertThat(groundTruth.pages()).hasSizeGreaterThan(8_000);
            assertThat(archiveReader.differences(groundTruth.pages()))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(archiveReader.recordedTwice()).isEmpty();
            assertThat(archiveReader.urls(Kind.REDIRECT))
                    .isSubsetOf(groundTruth.redirects().keySet());
            // Some hosts hide their robots.txt for good, so the crawl must end by saying what
            // rests.
            assertThat(end.reason()).isEqualTo(CrawlEnd.Reason.WAITING);
            var audit =
                    web.auditor()
                            .report(
                                    new AuditRules(
                                            Duration.ZERO,
                                            Duration.ZERO,
                                            Duration.ZERO,
                                            4,
                                            ALLOWANCE,
                                            true));
            assertThat(audit.isPolite()).as(audit.json()).isTrue();
            assertThat(audit.unknown()).isEmpty();
            assertThat(audit.repeated().keySet()).isSubsetOf(groundTruth.truncated());
            assertThat(new HashSet<>(archiveReader.checkedResponses()))
                    .containsAll(groundTruth.pages());
            assertThat(archiveReader.validatorProblems()).isEmpty();
        }
    }

    @Test
    void keepsItsDelaysWhileItCrawls() throws Exception {
        var hostDelay = Duration.ofMillis(100);
        var ipDelay = Duration.ofMillis(40);
        var spec = WebSpec.light(7, 60, 600).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec);
                var crawl =
                        CrawlOpener.open(web.config("delay=100ms", "delay-ip=40ms"), directory)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            var audit =
                    web.auditor()
                            .report(
                                    new AuditRules(
                                            hostDelay, ipDelay, Duration.ZERO, 1, ALLOWANCE, true));
            assertThat(audit.isPolite()).as(audit.json()).isTrue();
            assertThat(ArchiveReader.open(directory).differences(web.truth().pages())).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "zstd", "none"})
    void whatThereIsNoRoomForIsTakenUpLater(String compression) throws Exception {
        try (var web =
                LoopbackWeb.serve(
                        WebSpec.light(3, 20, 400)
                                .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS))) {
            var little = "max-frontier-disk=2KB";
            var warc = "warc-compression=" + compression;
            try (var crawl =
                    CrawlOpener.open(web.config("max-pages=57", little, warc), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.MAX_PAGES);
            }
            try (var crawl = CrawlOpener.open(web.config(little, warc), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            var archiveReader = ArchiveReader.open(directory);
            assertThat(archiveReader.differences(web.truth().pages())).isEmpty();
            assertThat(archiveReader.recordedTwice()).isEmpty();
            var deferred = new ArrayList<PageLogEntry>();
            PageLog.read(
                    directory.resolve(DirectoryLayout.PAGE_LOG),
                    entry -> {
                        if (entry.linksDeferred()) {
                            deferred.add(entry);
                        }
                    });
            assertThat(deferred).hasSizeGreaterThan(20);
        }
    }

    @Test
    void aCrawlUnderConstantBackpressureFinishesFromStoredPages() throws Exception {
        try (var web =
                LoopbackWeb.serve(
                        WebSpec.light(5, 6, 60)
                                .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS))) {
            try (var crawl = CrawlOpener.open(web.config("min-free-disk=1000000GB"), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            var archiveReader = ArchiveReader.open(directory);
            assertThat(archiveReader.differences(web.truth().pages())).isEmpty();
            assertThat(archiveReader.recordedTwice()).isEmpty();
        }
    }

    @Test
    void theLogHoldsTheSketchesOfEveryPageThatHasText() throws Exception {
        try (var web =
                        LoopbackWeb.serve(
                                WebSpec.light(3, 5, 50)
                                        .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS));
                var crawl = CrawlOpener.open(web.config(), directory)) {
            assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
        }
        var lines = Files.readAllLines(directory.resolve(DirectoryLayout.PAGE_LOG));
        assertThat(lines)
                .filteredOn(
                        line ->
                                line.contains("\"kind\":\"page\"")
                                        && line.contains("\"type\":\"text/html\""))
                .hasSizeGreaterThan(10)
                .allSatisfy(
                        line ->
                                assertThat(line)
                                        .containsPattern(
                                                "\"simhash\":\"[0-9a-f]{16}\",\"minhash\":\"[\\w-]{43}\""));
    }

    @Test
    void aPageLimitIsKeptExactlyAndTheRestIsStillThere() throws Exception {
        try (var web =
                LoopbackWeb.serve(
                        WebSpec.light(3, 20, 400)
                                .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS))) {
            try (var crawl = CrawlOpener.open(web.config("max-pages=57"), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.MAX_PAGES);
            }
            assertThat(ArchiveReader.open(directory).pages()).hasSize(57);
            try (var crawl = CrawlOpener.open(web.config(), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            var archiveReader = ArchiveReader.open(directory);
            assertThat(archiveReader.differences(web.truth().pages())).isEmpty();
            assertThat(archiveReader.recordedTwice()).isEmpty();
        }
    }
}
