package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.Compaction;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netpreserve.jwarc.MediaType;
import org.netpreserve.jwarc.WarcCompression;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;
import org.netpreserve.jwarc.WarcWriter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** A crawl refers to payloads that another crawl has stored, and readers find them there. */
@Slow
class DedupeWithTest {

    private static final String LONG_TEXT = "words that two crawls share ".repeat(40);

    private static final Map<String, String> PAGES =
            Map.of(
                    "/", "<title>Start</title>start <a href=/same>1</a> <a href=/secret>2</a>",
                    "/same", "<title>Same</title><p>same " + LONG_TEXT,
                    "/secret", "<title>Secret</title><p>secret " + LONG_TEXT);

    @TempDir Path temporary;
    private HtmlSite site;
    private Path january;
    private Path february;
    private CrawlConfig config;

    @BeforeEach
    void serve() throws Exception {
        site = HtmlSite.serve((path, _) -> PAGES.getOrDefault(path, ""));
        january = temporary.resolve("january");
        february = temporary.resolve("february");
        config =
                CrawlConfig.of(url("/"))
                        .withSetting("delay", "0")
                        .withSetting("contact", "me@a.test");
    }

    @AfterEach
    void stop() {
        site.close();
    }

    @Test
    void revisitRecordsNameTheRecordsOfTheOtherCrawl() throws Exception {
        crawlBoth();
        var original = (WarcResponse) record(january, "/same");
        var revisit = (WarcRevisit) record(february, "/same");
        assertThat(revisit.profile()).isEqualTo(WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1);
        assertThat(revisit.refersTo()).contains(original.id());
        assertThat(revisit.refersToTargetURI()).contains(original.targetURI());
        assertThat(revisit.refersToDate()).contains(original.date());
        assertThat(revisit.payloadDigest()).isEqualTo(original.payloadDigest()).isPresent();
        var line = entry(february, "/same").original();
        assertThat(line.crawl()).isEqualTo(january.toString());
        assertThat(line.line()).isEqualTo(entry(january, "/same").seq());
        assertThat(line.offset()).isEqualTo(entry(january, "/same").offset());
        // The first page is too short for a reference.
        assertThat(record(february, "/")).isInstanceOf(WarcResponse.class);
        assertThat(CrawlFiles.damages(february)).isEmpty();
    }

    @Test
    void exportsReadThePayloadsFromTheOtherCrawl() throws Exception {
        crawlBoth();
        assertThat(exported(ExportFormat.CHUNKS, february))
                .contains("same words that two crawls share");
        var wacz = temporary.resolve("february.wacz");
        export(ExportFormat.WACZ, february, wacz);
        try (var zip = new ZipFile(wacz.toFile());
                var in = zip.getInputStream(zip.getEntry("archive/data.warc.gz"));
                var reader = new WarcReader(in)) {
            var texts = new ArrayList<String>();
            for (var record : reader) {
                assertThat(record).isNotInstanceOf(WarcRevisit.class);
                if (record instanceof WarcResponse response) {
                    texts.add(new String(response.http().body().stream().readAllBytes(), UTF_8));
                }
            }
            assertThat(texts).containsAll(PAGES.values());
        }
    }

    @Test
    void payloadsOfAWarcFileOfAnotherProgramAreReferredToAndRead() throws Exception {
        var archive = temporary.resolve("old.warc.gz");
        var original = writeArchive(archive);
        crawl(config.withSetting(Settings.DEDUPE_WITH, archive.toString()), february);
        var revisit = (WarcRevisit) record(february, "/same");
        assertThat(revisit.profile()).isEqualTo(WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1);
        assertThat(revisit.refersTo()).contains(original.id());
        assertThat(revisit.refersToTargetURI()).contains(original.targetURI());
        assertThat(revisit.refersToDate()).contains(original.date());
        assertThat(revisit.payloadDigest()).isEqualTo(original.payloadDigest()).isPresent();
        assertThat(record(february, "/secret"))
                .as("a payload that the archive has with a transfer coding")
                .isInstanceOf(WarcResponse.class);
        assertThat(exported(ExportFormat.CHUNKS, february))
                .contains("same words that two crawls share", "secret words");
        assertThat(CrawlFiles.damages(february)).isEmpty();

        var wacz = writeWacz(archive);
        crawl(config.withSetting(Settings.DEDUPE_WITH, wacz.toString()), january);
        assertThat(record(january, "/same")).isInstanceOf(WarcRevisit.class);
        assertThat(exported(ExportFormat.CHUNKS, january))
                .contains("same words that two crawls share");
        assertThat(CrawlFiles.damages(january)).isEmpty();

        var moved = Files.move(archive, temporary.resolve("moved.warc.gz"));
        assertThatThrownBy(() -> exported(ExportFormat.CHUNKS, february))
                .hasMessageContaining("is in record 2 of %s, which is missing: put", archive)
                .hasMessageContaining("other-crawls.tsv");
        crawl(config.withSetting(Settings.DEDUPE_WITH, archive.toString()), february);
        Files.writeString(
                february.resolve(DirectoryLayout.OTHER_CRAWLS), archive + "\t" + moved + "\n");
        assertThat(exported(ExportFormat.CHUNKS, february))
                .contains("same words that two crawls share");
        assertThatThrownBy(
                        () ->
                                crawl(
                                        config.withSetting(
                                                Settings.DEDUPE_WITH, archive.toString()),
                                        temporary.resolve("march")))
                .hasMessage("dedupe-with names %s, which does not exist", archive);
    }

    /**
     * Writes the long pages at other URLs, one of them chunked; returns the record of the other.
     */
    private WarcResponse writeArchive(Path file) throws Exception {
        var secret = PAGES.getOrDefault("/secret", "");
        var same = PAGES.getOrDefault("/same", "");
        try (var out =
                new WarcWriter(FileChannel.open(file, CREATE, WRITE), WarcCompression.GZIP)) {
            out.write(
                    response(
                            "secret",
                            "Transfer-Encoding: chunked\r\n",
                            "%x\r\n%s\r\n0\r\n\r\n".formatted(secret.length(), secret),
                            secret));
            out.write(response("same", "", same, same));
            out.write(response("short", "", "short", "short"));
        }
        try (var reader = new WarcReader(file)) {
            var _ = reader.next();
            return (WarcResponse) reader.next().orElseThrow();
        }
    }

    /** Stores a WARC file in a WACZ file, behind another entry. */
    private Path writeWacz(Path warc) throws Exception {
        var file = temporary.resolve("old.wacz");
        var bytes = Files.readAllBytes(warc);
        try (var out = new ZipOutputStream(Files.newOutputStream(file))) {
            out.putNextEntry(new ZipEntry("datapackage.json"));
            out.write("{}".getBytes(UTF_8));
            var entry = new ZipEntry("archive/data.warc.gz");
            entry.setMethod(ZipEntry.STORED);
            entry.setSize(bytes.length);
            var sum = new CRC32();
            sum.update(bytes);
            entry.setCrc(sum.getValue());
            out.putNextEntry(entry);
            out.write(bytes);
        }
        return file;
    }

    private static WarcResponse response(String path, String field, String body, String payload)
            throws Exception {
        var digest = MessageDigest.getInstance("SHA-1").digest(payload.getBytes(UTF_8));
        return new WarcResponse.Builder("https://old.example/" + path)
                .date(Instant.parse("2020-02-03T04:05:06Z"))
                .payloadDigest(new WarcDigest("sha1", digest))
                .body(
                        MediaType.HTTP_RESPONSE,
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n%s"
                                .formatted(field, body)
                                .getBytes(UTF_8))
                .build();
    }

    @Test
    void aMissingCrawlIsNamedWithWhatToDo() throws Exception {
        crawlBoth();
        var march = temporary.resolve("march");
        Files.move(january, march);
        assertThatThrownBy(() -> exported(ExportFormat.CHUNKS, february))
                .hasMessageContaining("is in line ")
                .hasMessageContaining(january + ", where no crawl is: put that crawl back")
                .hasMessageContaining("other-crawls.tsv");
        assertThat(CrawlFiles.damages(february))
                .hasSize(2)
                .allMatch(damage -> damage.contains("the payload is missing: "));
        Files.writeString(
                february.resolve(DirectoryLayout.OTHER_CRAWLS), january + "\t" + march + "\n");
        assertThat(exported(ExportFormat.CHUNKS, february))
                .contains("same words that two crawls share");
        assertThat(CrawlFiles.damages(february)).isEmpty();
    }

    @Test
    void anotherCrawlInTheSamePlaceIsNotReadInstead() throws Exception {
        crawlBoth();
        var entry = entry(february, "/same").original();
        var wrong = entry(january, "/secret");
        var log = february.resolve(DirectoryLayout.PAGE_LOG);
        var text = Files.readString(log);
        Files.writeString(
                log,
                text.replace(
                                "\"original-offset\":%d,\"original-length\":%d"
                                        .formatted(entry.offset(), entry.length()),
                                "\"original-offset\":%d,\"original-length\":%d"
                                        .formatted(wrong.offset(), wrong.length()))
                        .replace(entry.warc(), wrong.warc()));
        assertThatThrownBy(() -> exported(ExportFormat.CHUNKS, february))
                .hasMessageContaining("has another payload than a revisit");
    }

    @Test
    void compactingKeepsWhatADependentNeedsAndItIsFoundInItsNewPlace() throws Exception {
        crawlBoth();
        var before = entry(january, "/same");
        takeDown(january, "/secret");
        takeDown(january, "/");
        var outcome = compact(january);
        assertThat(outcome.kept()).isEqualTo(1);
        assertThat(outcome.captures()).isEqualTo(1);
        assertThat(exported(ExportFormat.CHUNKS, january)).doesNotContain("secret words");
        assertThat(exported(ExportFormat.CHUNKS, february))
                .contains("same words that two crawls share", "secret words");
        assertThat(CrawlFiles.damages(february)).isEmpty();
        // All records that are left were moved, so only their lines find them.
        assertThat(entry(january, "/same").warc() + entry(january, "/same").offset())
                .isNotEqualTo(before.warc() + before.offset());

        takeDown(february, "/secret");
        assertThat(compact(february).captures()).isEqualTo(1);
        var second = compact(january);
        assertThat(second.kept()).isZero();
        assertThat(second.captures()).isEqualTo(1);
        assertThat(exported(ExportFormat.CHUNKS, february))
                .contains("same words that two crawls share")
                .doesNotContain("secret words");
    }

    @Test
    void compactingWaitsForDependentsThatAreRunningOrMissing() throws Exception {
        crawlBoth();
        takeDown(january, "/secret");
        try (var _ = StoredCrawl.lock(february)) {
            assertThatThrownBy(() -> compact(january))
                    .hasMessageContaining("is running and refers to records of");
        }
        Files.move(february, temporary.resolve("elsewhere"));
        assertThatThrownBy(() -> compact(january))
                .hasMessageContaining("but it is not there: put it back, or delete ");
        assertThat(exported(ExportFormat.CHUNKS, january)).contains("same words");
    }

    @Test
    void aTakenDownPayloadIsNotReferredTo() throws Exception {
        crawl(config, january);
        takeDown(january, "/secret");
        crawl(config.withSetting(Settings.DEDUPE_WITH, january.toString()), february);
        assertThat(record(february, "/secret")).isInstanceOf(WarcResponse.class);
        assertThat(record(february, "/same")).isInstanceOf(WarcRevisit.class);
    }

    @Test
    void theIndexIsBuiltWhereTheOtherCrawlHasNone() throws Exception {
        crawl(config, january);
        Files.delete(january.resolve(DirectoryLayout.DIGEST_INDEX));
        crawl(config.withSetting(Settings.DEDUPE_WITH, january.toString()), february);
        assertThat(record(february, "/same")).isInstanceOf(WarcRevisit.class);
    }

    @Test
    void aPlaceWithoutACrawlIsRejectedBeforeAnythingIsFetched() throws Exception {
        var nothing = temporary.resolve("nothing");
        assertThatThrownBy(
                        () ->
                                crawl(
                                        config.withSetting(
                                                Settings.DEDUPE_WITH, nothing.toString()),
                                        february))
                .hasMessage("dedupe-with names %s, which is not the directory of a crawl", nothing);
        assertThatThrownBy(
                        () ->
                                config.withSetting(Settings.DEDUPE_WITH, nothing.toString())
                                        .withSetting("warc-revisits", "false"))
                .hasMessageContaining("dedupe-with writes revisit records");
    }

    private void crawlBoth() throws Exception {
        crawl(config, january);
        crawl(config.withSetting(Settings.DEDUPE_WITH, january.toString()), february);
    }

    private String url(String path) {
        return site.url(path);
    }

    private CrawlUrl crawlUrl(String path) {
        return new CrawlUrls(config.normalisation()).parse(url(path)).orElseThrow();
    }

    private static void crawl(CrawlConfig settings, Path directory) throws Exception {
        try (var crawl = CrawlOpener.open(settings, directory)) {
            var _ = crawl.run();
        }
    }

    private void takeDown(Path directory, String path) throws IOException {
        assertThat(new StoredCrawl(directory, config).takeDown(crawlUrl(path))).isEqualTo(1);
    }

    private Compaction.Outcome compact(Path directory) throws IOException {
        return new StoredCrawl(directory, config).compact();
    }

    private PageLogEntry entry(Path directory, String path) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(
                directory.resolve(DirectoryLayout.PAGE_LOG),
                entry -> {
                    if (entry.url().equals(url(path))) {
                        entries.add(entry);
                    }
                });
        assertThat(entries).hasSize(1);
        return entries.getFirst();
    }

    private WarcRecord record(Path directory, String path) throws IOException {
        for (var file : new RealDisk().list(directory.resolve(DirectoryLayout.WARC))) {
            try (var reader = new WarcReader(file)) {
                for (var record : reader) {
                    if ((record instanceof WarcResponse response
                                    && response.target().equals(url(path)))
                            || (record instanceof WarcRevisit revisit
                                    && revisit.target().equals(url(path)))) {
                        return record;
                    }
                }
            }
        }
        throw new AssertionError("no record of " + path + " in " + directory);
    }

    private static String exported(ExportFormat format, Path directory) throws Exception {
        var out = new ByteArrayOutputStream();
        var _ =
                ExportRunner.run(
                        StoredCrawl.pages(List.of(directory), Settings.CORE),
                        ExportSettings.of(format, new ExportTarget.StreamTarget(out)));
        return out.toString(UTF_8);
    }

    private static void export(ExportFormat format, Path directory, Path target) throws Exception {
        var _ =
                ExportRunner.run(
                        StoredCrawl.pages(List.of(directory), Settings.CORE),
                        ExportSettings.of(format, new ExportTarget.PathTarget(target)));
    }
}
