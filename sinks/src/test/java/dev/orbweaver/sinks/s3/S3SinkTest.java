package dev.orbweaver.sinks.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.sinks.CrawlFiles;
import dev.orbweaver.sinks.FaultProxy;
import dev.orbweaver.sinks.StoredCrawl;
import dev.orbweaver.sinks.backup.Checkpoint;
import dev.orbweaver.sinks.backup.Restore;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import software.amazon.awssdk.core.exception.SdkClientException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

@Slow
class S3SinkTest {

    private static final String SETTINGS = "crawl.yaml";
    private static final byte[] NOTHING = {};

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
    void aCrawlComesBackAsItWas() throws IOException {
        var place = server.location("back");
        try (var crawl = crawl(1_000)) {
            for (var i = 0; i < 20; i++) {
                crawl.page("http://a.test/" + i, noise(i, 400));
            }
            crawl.commit();
            drain(crawl, place);
        }
        var back = restored(place, "back");
        assertThat(content(back)).isEqualTo(content(directory.resolve("crawl")));
        assertThat(back.keySet()).anyMatch(name -> name.startsWith("warc/"));
        assertThat(back.keySet())
                .contains(
                        SETTINGS,
                        DirectoryLayout.PAGE_LOG,
                        "frontier/journal-3",
                        "frontier/snapshot-3")
                .as("the frontier cannot be resumed without its key")
                .contains("frontier/fingerprint-key")
                .doesNotContain("frontier/seen-1.table", "frontier/journal-2", "crawl.log");
    }

    @Test
    void seedListsAreRestoredAlsoThoseOutsideTheCrawl() throws Exception {
        var place = server.location("seeds");
        var user = Files.writeString(directory.resolve("urls.txt"), "http://a.test/1\n");
        var elsewhere = directory.resolve("back-seeds");
        try (var crawl = crawl(1_000)) {
            var here = crawl.files().directory();
            crawl.page("http://a.test/", noise(1, 400)).commit();
            assertThat(SeedList.addReference(here, user)).isTrue();
            assertThat(SeedList.addCopy(here, "api", out -> out.line("http://a.test/2")))
                    .isEqualTo(1);
            var removed = here.resolve("seed-lists/removed.txt");
            Files.writeString(removed, "http://a.test/3\n");
            try (var sink =
                    new S3Sink(new S3Settings(place, Duration.ofNanos(1), false), crawl.files())) {
                assertThat(sink.step(false)).isTrue();
                Files.delete(user); // The crawl may have read it to its end.
                Files.writeString(removed, "http://a.test/4\n", StandardOpenOption.APPEND);
                assertThat(sink.step(false)).isTrue();
                assertThat(sink.step(false)).as("nothing is new").isFalse();
            }
        }
        try (var bucket = Bucket.open(place, new AtomicLong())) {
            var _ = Restore.run(bucket, Restore.SINK, elsewhere);
        }

        var restored = SeedList.of(elsewhere);

        assertThat(restored)
                .extracting(SeedList::name)
                .containsExactly("000001-urls-txt.ref", "000002-api.list");
        restored.getFirst().requireUnchanged(elsewhere);
        assertThat(restored.getFirst().file()).hasContent("http://a.test/1");
        assertThat(restored.getLast().file()).hasContent("http://a.test/2");
        assertThat(elsewhere.resolve("seed-lists/removed.txt"))
                .hasContent("http://a.test/3\nhttp://a.test/4");
    }

    @Test
    void onlyWhatIsNewGoesUp() throws IOException {
        var place = server.location("pieces");
        try (var crawl = crawl(1 << 30)) {
            crawl.page("http://a.test/1", noise(1, 300_000)).commit();
            var moved = 0L;
            try (var store =
                    new S3Sink(new S3Settings(place, Duration.ofNanos(1), false), crawl.files())) {
                assertThat(store.step(false)).isTrue();
                assertThat(store.step(false)).as("nothing is new").isFalse();
                var before = store.progress().activity();
                crawl.page("http://a.test/2", noise(2, 1_000)).commit();
                assertThat(store.step(false)).isTrue();
                moved = store.progress().activity() - before;
                assertThat(store.progress().remaining()).isZero();
                assertThat(store.counts().flushes()).as("states made").isEqualTo(2);
            }
            assertThat(moved).isLessThan(20_000);
            assertThat(content(restored(place, "pieces")))
                    .isEqualTo(content(directory.resolve("crawl")));
        }
    }

    @Test
    void aFileThatIsEmptyAndGoneStopsNothing() throws IOException {
        var place = server.location("gone");
        try (var crawl = crawl(1_000)) {
            crawl.page("http://a.test/1", noise(1, 2_000)).commit();
            var files = crawl.files();
            var gone =
                    new CrawlFiles(
                            files.directory(),
                            files.job(),
                            files.fleetPart(),
                            () -> {
                                var marks = new ArrayList<>(files.committedLengths().get());
                                marks.add(new CommittedLength("warc/compacted.warc.gz", 0, 0));
                                return marks;
                            },
                            files.urls(),
                            files.tombstones());
            try (var store = new S3Sink(new S3Settings(place, Duration.ofNanos(1), false), gone)) {
                assertThat(store.step(false)).isTrue();
                assertThat(store.progress().remaining()).isZero();
            }
        }
    }

    @Test
    void finishedWarcFilesLieThereUnderTheirOwnNames() throws IOException {
        var place = server.location("names");
        try (var crawl = crawl(1_000)) {
            for (var i = 0; i < 5; i++) {
                crawl.page("http://a.test/" + i, noise(i, 2_000));
            }
            crawl.commit(); // From the next write on, those that are full are finished.
            crawl.page("http://a.test/5", noise(5, 2_000)).commit();
            try (var bucket = Bucket.open(place, new AtomicLong());
                    var store =
                            new S3Sink(
                                    new S3Settings(place, Duration.ofNanos(1), false),
                                    crawl.files())) {
                assertThat(store.step(false)).isTrue();
                assertThat(bucket.list("warc/")).as("the newest two may still grow").hasSize(4);
                assertThat(bucket.list("pieces/warc/")).hasSize(2);
                while (store.step(true)) {}
                assertThat(bucket.list("warc/")).hasSize(6);
                assertThat(bucket.list("pieces/warc/")).as("of no use any more").isEmpty();
            }
        }
    }

    @Test
    void aLongFileGoesUpInPartsAndGoesOnWhereItBroke() throws IOException {
        try (var crawl = crawl(1 << 30);
                var faultProxy = new FaultProxy(server.address())) {
            var place = server.location("parts", faultProxy.port());
            crawl.page("http://a.test/long", noise(1, 4 * Bucket.PART_BYTES)).commit();
            faultProxy.cutAfter(2L * Bucket.PART_BYTES + Bucket.PART_BYTES / 2);
            assertThatThrownBy(() -> drain(crawl, place)).isInstanceOf(IOException.class);
            assertThat(faultProxy.isCut()).isTrue();
            var allowance = 3L * Bucket.PART_BYTES;
            faultProxy.cutAfter(allowance);
            drain(crawl, place);
            assertThat(faultProxy.isCut()).as("parts that were there are not sent again").isFalse();
            assertThat(content(restored(server.location("parts"), "parts")))
                    .isEqualTo(content(directory.resolve("crawl")));
        }
    }

    /**
     * A crawl that continues while it is copied: each line of the journal has the length of the
     * page log before it. For every restored checkpoint, at any moment, the journal must not refer
     * to more than the page log has.
     */
    @Test
    void aStateIsWholeHoweverTheCrawlGoesOnMeanwhile() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var place = server.location("whole");
        var over = new AtomicBoolean();
        try (var crawl = crawl(200_000);
                var faultProxy = new FaultProxy(server.address())) {
            crawl.page("http://a.test/", "seed").commit();
            var writer = Thread.ofPlatform().start(() -> crawlOn(crawl, over));
            try {
                var states = 0;
                for (var round = 0; states < 6 && round < 200; round++) {
                    faultProxy.cutAfter(
                            round % 3 == 2 ? Long.MAX_VALUE : 2_000 + random.nextInt(60_000));
                    var settings =
                            new S3Settings(
                                    server.location("whole", faultProxy.port()),
                                    Duration.ofNanos(1),
                                    false);
                    try (var store = new S3Sink(settings, crawl.files())) {
                        var _ = store.step(false);
                    } catch (IOException cut) {
                        assertThat(faultProxy.isCut()).as("seed %d: %s", seed, cut).isTrue();
                    }
                    if (hasState(place)) {
                        requireWhole(restored(place, "whole" + round), seed);
                        states++;
                    }
                }
                assertThat(states).as("seed " + seed).isEqualTo(6);
            } finally {
                over.set(true);
                writer.join();
            }
        }
    }

    private void crawlOn(StoredCrawl crawl, AtomicBoolean over) {
        try {
            for (var i = 0; !over.get() && i < 100_000; i++) {
                crawl.page("http://a.test/" + i, noise(i, 500)).commit();
                var length =
                        Files.size(directory.resolve("crawl").resolve(DirectoryLayout.PAGE_LOG));
                append("frontier/journal-3", length + "\n");
                Thread.sleep(2); // It need not be fast, but must never stop.
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean hasState(S3Location place) throws IOException {
        try (var bucket = Bucket.open(place, new AtomicLong())) {
            return bucket.getText(Checkpoint.NAME).isPresent();
        }
    }

    private static void requireWhole(Map<String, byte[]> back, long seed) {
        var journal = new String(back.getOrDefault("frontier/journal-3", NOTHING), UTF_8);
        var lines = journal.substring(0, journal.lastIndexOf('\n') + 1).lines().skip(1).toList();
        var spoken = lines.isEmpty() ? 0 : Long.parseLong(lines.getLast());
        assertThat((long) back.getOrDefault(DirectoryLayout.PAGE_LOG, NOTHING).length)
                .as("seed %d: the page log, of which the journal says %d", seed, spoken)
                .isGreaterThanOrEqualTo(spoken);
    }

    @Test
    void whatWasCutBackAndWrittenOtherwiseGoesUpAnew() throws IOException {
        var place = server.location("otherwise");
        try (var crawl = crawl(1 << 30)) {
            crawl.page("http://a.test/1", "one").commit();
            append("frontier/journal-3", "what a crash takes back");
            drain(crawl, place);
            write("frontier/journal-3", "journal: and what comes in its place");
            drain(crawl, place);
            assertThat(content(restored(place, "otherwise")))
                    .isEqualTo(content(directory.resolve("crawl")));
        }
    }

    @Test
    void theEndOfAJournalThatWasTakenBackMeanwhileGoesUpAsItIsThen() throws IOException {
        var place = server.location("torn");
        try (var crawl = crawl(1 << 30);
                var store =
                        new S3Sink(
                                new S3Settings(place, Duration.ofNanos(1), false), crawl.files())) {
            crawl.page("http://a.test/1", "one").commit();
            append("frontier/journal-3", "whole frame, half a fr");
            assertThat(store.step(false)).isTrue();
            // The disk was full: a partial write is truncated and repeated with other content.
            write("frontier/journal-3", "journal\nwhole frame, another frame and one more");
            assertThat(store.step(false)).isTrue();
            append("frontier/journal-3", ", and the next");
            assertThat(store.step(false)).isTrue();
            assertThat(content(restored(place, "torn")))
                    .isEqualTo(content(directory.resolve("crawl")));
        }
    }

    @Test
    void anUploadThatNobodyGoesOnWithIsGivenUp() throws IOException {
        var place = server.location("uploads");
        try (var client = server.client();
                var crawl = crawl(1 << 30)) {
            for (var key : List.of("uploads/pieces/x", "uploads/warc/y", "elsewhere/warc/z")) {
                var _ = client.createMultipartUpload(it -> it.bucket(place.bucket()).key(key));
            }
            crawl.page("http://a.test/1", "one").commit();
            drain(crawl, place);
            assertThat(client.listMultipartUploads(it -> it.bucket(place.bucket())).uploads())
                    .extracting(upload -> upload.key())
                    .as("those of others stay")
                    .filteredOn(key -> !key.startsWith("parts"))
                    .containsExactly("elsewhere/warc/z");
        }
    }

    @Test
    void finishedFilesGoHereOnceTheyWereReadBackFromThereAndAllComesBack() throws IOException {
        var place = server.location("moved");
        try (var crawl = crawl(1_000)) {
            sixFiles(crawl);
            crawl.deferringLinks().page("http://a.test/later", noise(7, 2_000)).commit();
            crawl.page("http://a.test/8", noise(8, 2_000)).commit();
            crawl.page("http://a.test/9", noise(9, 2_000)).commit();
            var before = content(directory.resolve("crawl"));
            assertThat(warcs()).hasSize(9);
            try (var store = new S3Sink(removing(place), crawl.files(), () -> 3)) {
                while (store.step(true)) {}
                assertThat(warcs()).as("the other store has three lines").hasSize(6);
            }
            try (var store = new S3Sink(removing(place), crawl.files(), () -> Long.MAX_VALUE)) {
                while (store.step(true)) {}
                assertThat(warcs())
                        .as("one has links to be read again, two are still open")
                        .hasSize(3)
                        .anyMatch(name -> name.contains("-00007."))
                        .anyMatch(name -> name.endsWith(".open"));
                crawl.page("http://a.test/10", "ten").commit();
                assertThat(store.step(true)).as("a state is made without them").isTrue();
            }
            var back = content(restored(place, "moved"));
            assertThat(back.keySet()).containsAll(before.keySet()).doesNotContain("moved.tsv");
            before.forEach(
                    (name, text) -> {
                        if (name.startsWith("warc/")) {
                            assertThat(back).containsEntry(name, text);
                        }
                    });
        }
    }

    @Test
    void theFileOfARecordThatARevisitIsReadWithStaysAsLongAsTheRevisitIsNeeded()
            throws IOException {
        var place = server.location("revisited");
        try (var crawl = crawl(1_000)) {
            sixFiles(crawl);
            crawl.deferringLinks().page("http://a.test/again", noise(1, 2_000)).commit();
            crawl.page("http://a.test/8", noise(8, 2_000)).commit();
            crawl.page("http://a.test/9", noise(9, 2_000)).commit();
            try (var store = new S3Sink(removing(place), crawl.files(), () -> Long.MAX_VALUE)) {
                while (store.step(true)) {}
            }
            assertThat(warcs()).anyMatch(name -> name.contains("-00001."));
            assertThat(warcs()).noneMatch(name -> name.contains("-00002."));
        }
    }

    @Test
    void aFileThatIsNotThereAsItIsHereStays() throws IOException {
        var place = server.location("spoilt");
        try (var crawl = crawl(1_000)) {
            sixFiles(crawl);
            drain(crawl, place);
            try (var bucket = Bucket.open(place, new AtomicLong())) {
                bucket.putWhole(bucket.list("warc/").getFirst(), "spoilt".getBytes(UTF_8));
            }
            try (var store = new S3Sink(removing(place), crawl.files(), () -> Long.MAX_VALUE)) {
                assertThatThrownBy(() -> store.step(true))
                        .hasMessageContaining("does not match the checksum");
            }
            assertThat(warcs()).hasSize(6);
            assertThat(directory.resolve("crawl/moved.tsv")).doesNotExist();
        }
    }

    @Test
    void whatTheLibrarySaysIsCutToASentence() {
        var endless =
                "Unable to load credentials from any of the providers in the chain "
                        + "x".repeat(1_300);
        assertThat(Bucket.shortMessage(SdkClientException.create(endless)))
                .isEqualTo(
                        "no credentials found: set AWS_ACCESS_KEY_ID and"
                                + " AWS_SECRET_ACCESS_KEY");
        assertThat(Bucket.shortMessage(SdkClientException.create("Unable to load region from any")))
                .contains("set AWS_REGION");
        assertThat(Bucket.shortMessage(SdkClientException.create("y".repeat(1_300)))).hasSize(203);
        assertThat(Bucket.shortMessage(SdkClientException.create("gone\nat length")))
                .isEqualTo("gone");
    }

    private static void sixFiles(StoredCrawl crawl) throws IOException {
        for (var i = 1; i < 7; i++) {
            crawl.page("http://a.test/" + i, noise(i, 2_000)).commit();
        }
    }

    private static S3Settings removing(S3Location place) {
        return new S3Settings(place, Duration.ofNanos(1), true);
    }

    private List<String> warcs() throws IOException {
        try (var files = Files.list(directory.resolve("crawl/warc"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aPlaceThatHoldsAnotherCrawlIsRefused() throws IOException {
        var place = server.location("other");
        try (var crawl = crawl(1 << 30)) {
            crawl.page("http://a.test/1", "one").commit();
            drain(crawl, place);
            write("sinks/job", AtomicFile.withChecksum("other job\n"));
            assertThatThrownBy(() -> drain(crawl, place)).hasMessageContaining("another crawl");
        }
    }

    @Test
    void anObjectThatIsNotWhatWasPutThereIsRefused() throws IOException {
        var place = server.location("changed");
        try (var crawl = crawl(1 << 30)) {
            crawl.page("http://a.test/1", "one").commit();
            drain(crawl, place);
        }
        try (var bucket = Bucket.open(place, new AtomicLong())) {
            bucket.putWhole(
                    bucket.list("pieces/" + DirectoryLayout.PAGE_LOG).getFirst(), new byte[3]);
        }
        assertThatThrownBy(() -> restored(place, "changed"))
                .hasMessageContaining("does not match the checksum of its upload");
        assertThat(directory.resolve("changed").resolve(SETTINGS))
                .as("a restore that broke off does not look like a crawl")
                .doesNotExist();
    }

    @Test
    void noNameLeadsOutOfTheDirectory() throws IOException {
        var place = server.location("outside");
        try (var bucket = Bucket.open(place, new AtomicLong())) {
            var piece = new Checkpoint.Piece("x", 1, "");
            var evil = Checkpoint.of("job", Map.of("../evil", List.of(piece)));
            bucket.putWhole(Checkpoint.NAME, evil.json().getBytes(UTF_8));
        }
        assertThatThrownBy(() -> restored(place, "outside"))
                .hasMessageContaining("outside of the directory");
        assertThat(directory.resolve("evil")).doesNotExist();
    }

    @Test
    void aDirectoryThatHasFilesIsNotRestoredInto() throws IOException {
        write("here", "something");
        assertThatThrownBy(() -> restored(server.location("any"), "crawl"))
                .hasMessageContaining("is not empty");
    }

    private StoredCrawl crawl(long warcBytesMax) throws IOException {
        var crawl = new StoredCrawl(directory.resolve("crawl"), warcBytesMax);
        write(SETTINGS, "seeds: x\n");
        write("crawl.log", "not to be copied");
        write("frontier/journal-2", "old");
        write("frontier/journal-3", "journal\n");
        write("frontier/snapshot-3", "snapshot");
        write("frontier/fingerprint-key", "key");
        write("frontier/segment-1", "segment");
        write("frontier/segment-1.index", "index");
        write("frontier/seen-1.log", "keys");
        write("frontier/seen-1.table", "made again");
        write("frontier/dead", "");
        write("frontier/snapshot-4.unfinished", "half");
        return crawl;
    }

    private void write(String name, String text) throws IOException {
        var file = directory.resolve("crawl").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void append(String name, String text) throws IOException {
        Files.writeString(
                directory.resolve("crawl").resolve(name), text, StandardOpenOption.APPEND);
    }

    private static byte[] noise(long seed, int length) {
        var bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void drain(StoredCrawl crawl, S3Location place) throws IOException {
        try (var store =
                new S3Sink(new S3Settings(place, Duration.ofDays(1), false), crawl.files())) {
            while (store.step(true)) {}
            assertThat(store.progress().remaining()).isZero();
        }
    }

    private Map<String, byte[]> restored(S3Location place, String name) throws IOException {
        try (var bucket = Bucket.open(place, new AtomicLong())) {
            var _ = Restore.run(bucket, "", directory.resolve(name));
        }
        return files(directory.resolve(name));
    }

    private static Map<String, byte[]> files(Path root) throws IOException {
        var found = new TreeMap<String, byte[]>();
        try (var files = Files.walk(root)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                found.put(root.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return found;
    }

    /** Returns a checkpoint's content of a directory, as text that can be compared. */
    private static Map<String, String> content(Map<String, byte[]> files) {
        var texts = new TreeMap<String, String>();
        // A file that may still grow is listed under its final name.
        files.forEach(
                (name, bytes) ->
                        texts.put(
                                name.replaceFirst("\\.open$", ""),
                                Base64.getEncoder().encodeToString(bytes)));
        texts.keySet()
                .removeIf(
                        name ->
                                name.endsWith(".table")
                                        || name.endsWith(".unfinished")
                                        || name.endsWith("journal-2")
                                        || name.equals("digests.index")
                                        || name.equals("batch.start")
                                        || name.equals("crawl.log"));
        return texts;
    }

    private static Map<String, String> content(Path root) throws IOException {
        return content(files(root));
    }
}
