package dev.orbweaver.sinks.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.Zstd;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.sinks.CrawlFiles;
import dev.orbweaver.sinks.FaultProxy;
import dev.orbweaver.sinks.StoredCrawl;
import dev.orbweaver.testing.Slow;

import org.bson.Document;
import org.bson.types.Binary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.InflaterInputStream;

@Slow
class MongoSinkTest {

    private static final int TRIES_MAX = 500;

    @TempDir Path directory;
    private MongoTestServer place;

    @BeforeEach
    void start() throws Exception {
        place = MongoTestServer.start();
    }

    @AfterEach
    void stop() throws IOException {
        place.close();
    }

    @Test
    void everyLineBecomesADocument() throws IOException {
        try (var crawl = crawl()) {
            crawl.page("http://www.a.example.co.uk/x", "<title>x</title>")
                    .redirect("http://a.test/r", "/there")
                    .failed("http://b.test/", "dns")
                    .commit();
            drain(crawl.files());
        }
        var page = place.one(MongoSink.METADATA, "url", "http://www.a.example.co.uk/x");
        assertThat(page)
                .containsEntry("domain", "example.co.uk")
                .containsEntry("host", "www.a.example.co.uk")
                .containsEntry("kind", "page")
                .containsEntry("status", 200)
                .containsEntry("depth", 1)
                .containsEntry("links_count", 0)
                .containsEntry("size", 16L)
                .containsEntry("worker", "local")
                .containsEntry("visit", 1L)
                .containsEntry("crawled_at", Date.from(Instant.parse("2030-01-01T00:00:00Z")));
        assertThat(page.getString("content_hash")).startsWith("sha1:");
        assertThat(page.get("warc", Document.class).getString("file")).startsWith("warc/");
        assertThat(place.one(MongoSink.METADATA, "kind", "redirect"))
                .containsEntry("location", "/there")
                .containsEntry("status", 301);
        assertThat(place.one(MongoSink.METADATA, "kind", "failed"))
                .containsEntry("cause", "dns")
                .containsEntry("retries", 3)
                .doesNotContainKey("warc");
        var body = place.one(MongoSink.CONTENT, "page_id", page.getString("_id"));
        assertThat(place.all(MongoSink.CONTENT)).as("only pages have bodies").hasSize(1);
        assertThat(body).containsEntry("original_size", 16L);
        assertThat(decompressed(body)).isEqualTo("<title>x</title>");
    }

    @Test
    void fieldsOfExtractorsKeepTheirTypesAndNames() throws IOException {
        try (var crawl = crawl()) {
            crawl.pageWithFields(
                            "http://a.test/product",
                            "x",
                            """
                            {"name":"\\"ä\\"\\n🕸","price":3.0,"count":7,\
                            "large":9007199254740993,"sold":true,"tags":["a","b"],"a.b":"dot",\
                            "$set":"dollar","n\\u0000l":"a\\u0000b","":""}\
                            """)
                    .page("http://a.test/next", "y")
                    .commit();
            drain(crawl.files());
        }
        var fields =
                place.one(MongoSink.METADATA, "url", "http://a.test/product")
                        .get("fields", Document.class);
        assertThat(fields)
                .isEqualTo(
                        new Document("name", "\"ä\"\n🕸")
                                .append("price", 3.0)
                                .append("count", 7L)
                                .append("large", 9_007_199_254_740_993L)
                                .append("sold", true)
                                .append("tags", List.of("a", "b"))
                                .append("a.b", "dot")
                                .append("$set", "dollar")
                                .append("n\uFFFDl", "a\0b")
                                .append("", ""));
        assertThat(place.one(MongoSink.METADATA, "url", "http://a.test/next"))
                .doesNotContainKey("fields");
    }

    @Test
    void bodiesComeBackInEitherCompression() throws IOException {
        for (var compression : BodyCompression.values()) {
            var text = "word ".repeat(100_000) + compression;
            try (var crawl = crawl(directory.resolve(compression.id()))) {
                crawl.page("http://a.test/" + compression.id(), text).commit();
                drain(crawl.files(), settings(place.uri(), compression));
            }
            var body = place.one(MongoSink.CONTENT, "encoding", compression.id());
            assertThat(decompressed(body)).isEqualTo(text);
            assertThat(body.getDouble("ratio")).isBetween(0.0, 0.02);
        }
    }

    @Test
    void theIndexesAreThere() throws IOException {
        try (var crawl = crawl()) {
            drain(crawl.commit().files());
        }
        var keys = new ArrayList<String>();
        place.database()
                .getCollection(MongoSink.METADATA)
                .listIndexes()
                .forEach(index -> keys.add(index.get("key", Document.class).toJson()));
        assertThat(keys)
                .contains(
                        "{\"url\": 1, \"job\": 1, \"visit\": 1}",
                        "{\"domain\": 1}",
                        "{\"crawled_at\": 1}",
                        "{\"content_hash\": 1}",
                        "{\"depth\": 1}",
                        "{\"status\": 1, \"crawled_at\": 1}");
    }

    @Test
    void aPageOfAFleetSaysWhoFetchedItForWhichJob() throws IOException {
        try (var crawl = crawl()) {
            var alone = crawl.page("http://a.test/1", "one").commit().files();
            drain(alone);
            assertThat(place.one(MongoSink.METADATA, "url", "http://a.test/1"))
                    .containsEntry("worker", "local")
                    .doesNotContainKey("fleet_job");
            new FleetPart("w7", 7, "main/3", "id").save(alone.directory());
            drain(crawl.page("http://a.test/2", "two").commit().files());
            assertThat(place.one(MongoSink.METADATA, "url", "http://a.test/2"))
                    .containsEntry("worker", "w7")
                    .containsEntry("fleet_job", "main/3");
        }
    }

    @Test
    void whatIsNotCommittedIsNotWritten() throws IOException {
        try (var crawl = crawl()) {
            crawl.page("http://a.test/1", "one").commit();
            var committed = crawl.marks();
            crawl.page("http://a.test/2", "two").commit();
            var files = crawl.files();
            drain(
                    new CrawlFiles(
                            files.directory(),
                            files.job(),
                            files.fleetPart(),
                            () -> committed,
                            files.urls(),
                            files.tombstones()));
            assertThat(place.visits()).containsOnlyKeys("http://a.test/1");
            drain(files);
            assertThat(place.visits()).containsOnlyKeys("http://a.test/1", "http://a.test/2");
        }
    }

    @Test
    void aBodyThatFitsInNoDocumentIsStoredByReference() throws IOException {
        var noise = new byte[17 << 20];
        new Random(1).nextBytes(noise);
        try (var crawl = crawl()) {
            crawl.page("http://a.test/long", noise).page("http://a.test/short", "short").commit();
            drain(crawl.files());
        }
        var page = place.one(MongoSink.METADATA, "url", "http://a.test/long");
        var body = place.one(MongoSink.CONTENT, "page_id", page.getString("_id"));
        assertThat(body)
                .containsEntry("encoding", "reference")
                .containsEntry("original_size", (long) noise.length)
                .containsEntry("warc", page.get("warc"))
                .doesNotContainKey("body");
        assertThat(body.getString("note")).contains("longer than the maximum document");
        assertThat(place.all(MongoSink.CONTENT)).hasSize(2);
    }

    /** Cut at random bytes, by either side, repeatedly: the same documents in the end. */
    @Test
    void whereverItIsCutTheSameDocumentsAreThere() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        try (var crawl = crawl();
                var faultProxy = new FaultProxy(place.address())) {
            for (var i = 0; i < 1_200; i++) {
                crawl.page(
                        "http://h" + i % 7 + ".test/" + i, i + " word".repeat(random.nextInt(300)));
                if (i % 10 == 0) {
                    crawl.failed("http://h.test/f" + i, "timeout");
                }
            }
            crawl.commit();
            drain(crawl.files());
            var metadata = place.all(MongoSink.METADATA);
            var content = place.all(MongoSink.CONTENT);
            assertThat(metadata).hasSize(1_320);
            place.database().drop();
            var cuts = 0;
            var done = false;
            for (var tries = 0; !done && tries < TRIES_MAX; tries++) {
                if (cuts < 25) {
                    faultProxy.cutAfter(random.nextInt(60_000));
                } else {
                    faultProxy.cutAfter(Long.MAX_VALUE);
                }
                done = runUntilCut(crawl.files(), faultProxy, random);
                cuts += faultProxy.isCut() ? 1 : 0;
            }
            assertThat(done).as("seed " + seed).isTrue();
            assertThat(cuts).as("cuts, seed " + seed).isGreaterThanOrEqualTo(25);
            assertThat(place.all(MongoSink.METADATA)).as("seed " + seed).isEqualTo(metadata);
            assertThat(place.all(MongoSink.CONTENT)).as("seed " + seed).isEqualTo(content);
        }
    }

    /** One process of a sink, ended by a cut, by itself after some steps, or at the end. */
    private boolean runUntilCut(CrawlFiles files, FaultProxy faultProxy, Random random) {
        var settings =
                new MongoSettings(
                        place.uri(faultProxy.port()),
                        BodyCompression.ZSTD,
                        50,
                        Duration.ofMillis(20));
        try (var store = new MongoSink(settings, files)) {
            for (var steps = 1 + random.nextInt(8); steps > 0; steps--) {
                if (!store.step(true)) {
                    return true;
                }
            }
        } catch (IOException cut) {
            assertThat(cut.getMessage()).doesNotContain("\n");
        }
        return false;
    }

    @Test
    void aDatabaseThatWasEmptiedIsFilledAgain() throws IOException {
        try (var crawl = crawl()) {
            crawl.page("http://a.test/1", "one").page("http://a.test/2", "two").commit();
            drain(crawl.files());
            var before = place.all(MongoSink.METADATA);
            place.database().drop();
            drain(crawl.files());
            assertThat(place.all(MongoSink.METADATA)).isEqualTo(before);
        }
    }

    @Test
    void twoCrawlsInOneDatabaseDoNotTouchEachOther() throws IOException {
        try (var one = crawl(directory.resolve("1"));
                var two = crawl(directory.resolve("2"))) {
            one.page("http://a.test/", "one").commit();
            two.page("http://a.test/", "two").commit();
            drain(one.files());
            drain(two.files());
            drain(one.files());
        }
        assertThat(place.visits()).containsEntry("http://a.test/", 2L);
    }

    /** As after a loss of power: lines that MongoDB has were rolled back and replaced by others. */
    @Test
    void documentsOfLinesThatWereTakenBackAreDeleted() throws IOException {
        CrawlFiles files;
        try (var crawl = crawl()) {
            crawl.page("http://a.test/1", "one").commit();
            var length = Files.size(directory.resolve(DirectoryLayout.PAGE_LOG));
            crawl.page("http://a.test/2", "two").page("http://a.test/3", "three").commit();
            drain(crawl.files());
            try (var log =
                    FileChannel.open(
                            directory.resolve(DirectoryLayout.PAGE_LOG),
                            StandardOpenOption.WRITE)) {
                log.truncate(length);
            }
            files = crawl.files();
            drain(files);
            assertThat(place.visits()).containsOnlyKeys("http://a.test/1");
        }
        // The same numbers for other URLs.
        var line = Files.readString(directory.resolve(DirectoryLayout.PAGE_LOG));
        var other = line.replace("http://a.test/1", "http://a.test/9");
        Files.writeString(directory.resolve(DirectoryLayout.PAGE_LOG), other);
        drain(files);
        assertThat(place.visits()).containsOnlyKeys("http://a.test/9");
        assertThat(place.all(MongoSink.CONTENT)).hasSize(1);
    }

    /**
     * A crash while the log is read again: lines that were unverified before it are so afterwards.
     */
    @Test
    void documentsOfLinesThatWereTakenBackAreDeletedThoughTheStoreDiesMeanwhile()
            throws IOException {
        var small = new MongoSettings(place.uri(), BodyCompression.ZSTD, 50, Duration.ofMillis(50));
        try (var crawl = crawl()) {
            for (var i = 0; i < 130; i++) {
                crawl.page("http://a.test/" + i, "page " + i);
            }
            crawl.commit();
            drain(crawl.files(), small);
            var log = Files.readString(directory.resolve(DirectoryLayout.PAGE_LOG));
            Files.writeString(
                    directory.resolve(DirectoryLayout.PAGE_LOG),
                    log.replace("http://a.test/", "http://b.test/"));
            for (var death = 0; death < 2; death++) {
                try (var store = new MongoSink(small, crawl.files())) {
                    assertThat(store.step(true)).isTrue();
                }
            }
            assertThat(place.visits().keySet()).anyMatch(url -> url.startsWith("http://a.test/"));
            drain(crawl.files(), small);
            assertThat(place.visits().keySet())
                    .hasSize(130)
                    .allMatch(url -> url.startsWith("http://b.test/"));
            assertThat(place.all(MongoSink.CONTENT)).hasSize(130);
            assertThat(place.all(MongoSink.POSITIONS).toString()).doesNotContain("doubted");
        }
    }

    @Test
    void whatWasTakenDownIsNotWritten() throws IOException {
        try (var crawl = crawl()) {
            crawl.page("http://a.test/1", "one").page("http://a.test/2", "two").commit();
            drain(crawl.files(url -> url.endsWith("/2")));
        }
        assertThat(place.visits()).containsOnlyKeys("http://a.test/1");
        assertThat(place.all(MongoSink.CONTENT)).hasSize(1);
    }

    @Test
    void whatIsTakenDownLaterIsDeleted() throws IOException {
        try (var crawl = crawl()) {
            crawl.page("http://a.test/1", "one").page("http://a.test/2", "two").commit();
            drain(crawl.files());
            assertThat(place.visits()).hasSize(2);
            drain(crawl.files(url -> url.endsWith("/2")));
        }
        assertThat(place.visits()).containsOnlyKeys("http://a.test/1");
        assertThat(place.all(MongoSink.CONTENT)).hasSize(1);
    }

    @Test
    void aBodyWhoseWarcFileIsGoneIsAReference() throws IOException {
        try (var crawl = crawl()) {
            crawl.page("http://a.test/1", "one").commit();
            for (var mark : crawl.marks()) {
                if (mark.name().startsWith("warc/")) {
                    Files.delete(crawl.files().locate(mark.name()));
                }
            }
            drain(crawl.files());
        }
        assertThat(place.one(MongoSink.CONTENT, "encoding", "reference").getString("note"))
                .isEqualTo("its WARC file was missing");
    }

    @Test
    void aServerThatIsGoneIsToldInALineWithoutThePassword() throws IOException {
        try (var crawl = crawl();
                var faultProxy = new FaultProxy(place.address())) {
            faultProxy.setDown(true);
            crawl.page("http://a.test/1", "one").commit();
            var uri =
                    "mongodb://user:secret@127.0.0.1:"
                            + faultProxy.port()
                            + "/x?serverSelectionTimeoutMS=1";
            var settings = settings(uri, BodyCompression.ZLIB);
            assertThat(settings.toString()).doesNotContain("secret");
            assertThatThrownBy(() -> drain(crawl.files(), settings))
                    .isInstanceOf(IOException.class)
                    .hasMessageNotContaining("secret")
                    .hasMessageNotContaining("\n");
        }
    }

    private StoredCrawl crawl() throws IOException {
        return crawl(directory);
    }

    private static StoredCrawl crawl(Path directory) throws IOException {
        return new StoredCrawl(directory, 1 << 30);
    }

    private static MongoSettings settings(String uri, BodyCompression compression) {
        return new MongoSettings(uri, compression, 500, Duration.ofMillis(50));
    }

    private void drain(CrawlFiles files) throws IOException {
        drain(files, settings(place.uri(), BodyCompression.ZSTD));
    }

    private static void drain(CrawlFiles files, MongoSettings settings) throws IOException {
        try (var store = new MongoSink(settings, files)) {
            while (store.step(true)) {}
            assertThat(store.progress().remaining()).isZero();
        }
    }

    private static String decompressed(Document body) throws IOException {
        var bytes = body.get("body", Binary.class).getData();
        return switch (BodyCompression.valueOf(
                body.getString("encoding").toUpperCase(Locale.ROOT))) {
            case ZSTD ->
                    new String(
                            Zstd.decompress(bytes, (int) Zstd.getFrameContentSize(bytes)), UTF_8);
            case ZLIB ->
                    new String(
                            new InflaterInputStream(new ByteArrayInputStream(bytes)).readAllBytes(),
                            UTF_8);
        };
    }
}
