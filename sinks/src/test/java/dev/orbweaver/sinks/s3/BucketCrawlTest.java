package dev.orbweaver.sinks.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.CrawlArchive;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.sink.Dependents;
import dev.orbweaver.internal.sink.OtherCrawl;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.sinks.StoredCrawl;
import dev.orbweaver.sinks.backup.Restore;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A crawl refers to payloads of a crawl that the S3 sink has copied. */
@Slow
class BucketCrawlTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final String TEXT = "words that two crawls share ".repeat(40);

    @TempDir static Path servers;
    private static S3Server server;

    @TempDir Path directory;

    @BeforeAll
    static void start() throws Exception {
        server = S3Server.start(servers);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void payloadsOfAFinishedCrawlAreFoundAndReadAfterARestore() throws IOException {
        var place = server.location("finished");
        var january = directory.resolve("january");
        try (var crawl = new StoredCrawl(january, 2_000)) {
            for (var i = 0; i < 5; i++) {
                crawl.page("http://a.test/" + i, i + TEXT).commit();
            }
            drain(crawl, place, true);
        }
        var february = directory.resolve("february");
        refer(place, february, 3);
        var line = entries(february).getFirst();
        assertThat(line.original().crawl()).isEqualTo(place.toString());
        assertThat(line.original().line()).isEqualTo(4);

        var archive = new CrawlArchive(february, Optional.empty(), URLS);
        assertThatThrownBy(() -> body(archive, line))
                .hasMessageContaining("is only in " + place + ", line 4 of its page log")
                .hasMessageContaining("orbweaver restore " + place);
        var restored = directory.resolve("restored");
        try (var bucket = Bucket.open(place, new AtomicLong())) {
            var _ = Restore.run(bucket, "", restored);
        }
        Files.writeString(
                february.resolve(DirectoryLayout.OTHER_CRAWLS), place + "\t" + restored + "\n");
        assertThat(body(archive, line)).isEqualTo("3" + TEXT);
    }

    @Test
    void payloadsInPiecesAreFoundAlsoOnceThePiecesWereJoined() throws IOException {
        var place = server.location("running");
        try (var crawl = new StoredCrawl(directory.resolve("january"), 1 << 30)) {
            crawl.page("http://a.test/0", "0" + TEXT).commit();
            drain(crawl, place, false);
            crawl.page("http://a.test/1", "1" + TEXT).commit();
            drain(crawl, place, false);
            refer(place, directory.resolve("february"), 1);
            assertThat(entries(directory.resolve("february")).getFirst().original().line())
                    .isEqualTo(2);
            try (var other = other(place, directory.resolve("march"));
                    var march = new StoredCrawl(directory.resolve("march"), 1000, List.of(other))) {
                drain(crawl, place, true);
                march.page("http://b.test/", "0" + TEXT).commit();
            }
            assertThat(entries(directory.resolve("march")).getFirst().original().line())
                    .isEqualTo(1);
        }
    }

    @Test
    void aDependentIsRegisteredInTheBucketAndFromThereInTheDirectory() throws IOException {
        var place = server.location("dependents");
        var january = directory.resolve("january");
        try (var crawl = new StoredCrawl(january, 2_000)) {
            crawl.page("http://a.test/", TEXT).commit();
            drain(crawl, place, true);
        }
        var text = Dependents.text(directory.resolve("february"), place.toString());
        try (var crawl = BucketCrawl.open(place)) {
            crawl.addDependent(Dependents.fileName(text), text);
        }
        BucketCrawl.addDependents(place, january);
        var file = january.resolve(DirectoryLayout.DEPENDENTS).resolve(Dependents.fileName(text));
        assertThat(Files.readString(file)).startsWith(text);
    }

    @Test
    void aPlaceWithoutACrawlIsRejected() {
        var place = server.location("nothing");
        assertThatThrownBy(() -> BucketCrawl.open(place))
                .hasMessage("dedupe-with names %s, where no crawl was copied with --s3", place);
    }

    /** Writes a crawl with one page, which the crawl in the bucket has too. */
    private static void refer(S3Location place, Path crawl, int page) throws IOException {
        try (var other = other(place, crawl);
                var writer = new StoredCrawl(crawl, 1_000, List.of(other))) {
            writer.page("http://b.test/", page + TEXT).commit();
        }
    }

    private static OtherCrawl other(S3Location place, Path crawl) throws IOException {
        var scratch = Files.createDirectories(crawl.resolve(DirectoryLayout.OTHER_DIGESTS));
        return OtherCrawl.open(
                new RealDisk(), place.toString(), BucketCrawl.open(place), scratch, URLS);
    }

    private static void drain(StoredCrawl crawl, S3Location place, boolean finished)
            throws IOException {
        var frontier =
                Files.createDirectories(
                        crawl.files().directory().resolve(DirectoryLayout.FRONTIER));
        for (var name : List.of("fingerprint-key", "journal-0", "dead")) {
            Files.writeString(frontier.resolve(name), name);
        }
        Files.writeString(crawl.files().directory().resolve(DirectoryLayout.SETTINGS), "x: y\n");
        try (var store =
                new S3Sink(new S3Settings(place, Duration.ofNanos(1), false), crawl.files())) {
            if (finished) {
                while (store.step(true)) {}
            } else {
                assertThat(store.step(false)).isTrue();
            }
        }
    }

    private static List<PageLogEntry> entries(Path crawl) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(crawl.resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    private static String body(CrawlArchive archive, PageLogEntry entry) throws IOException {
        var out = new ByteArrayOutputStream();
        assertThat(archive.copyBody(new StoredPage(0, entry), out)).isEmpty();
        return out.toString(UTF_8);
    }
}
