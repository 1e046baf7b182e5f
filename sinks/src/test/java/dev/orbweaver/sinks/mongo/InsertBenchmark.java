package dev.orbweaver.sinks.mongo;

import com.mongodb.WriteConcern;

import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.sinks.CrawlFiles;
import dev.orbweaver.sinks.StoredCrawl;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Compares the sink with a program that inserts the same documents one by one, with the same write
 * concern, into the same server. Both make the documents from page log and WARC.
 */
public final class InsertBenchmark {

    private static final int BATCH = 500;

    private final Path directory;
    private final int pages;

    /** Creates a benchmark over this many pages of about two kilobytes. */
    public InsertBenchmark(Path directory, int pages) {
        this.directory = directory;
        this.pages = pages;
    }

    /** The result, in pages per second. */
    public record Result(String server, double bulk, double single) {}

    /** Runs both twice and returns the second result: the first run is a warm-up. */
    public Result run() throws Exception {
        try (var crawl = new StoredCrawl(directory, 1 << 30)) {
            var random = new Random(1);
            for (var i = 0; i < pages; i++) {
                var words = new StringBuilder();
                random.ints(350).forEach(word -> words.append(word % 10_000).append(' '));
                crawl.page("http://h" + i % 50 + ".test/" + i, words.toString());
            }
            crawl.commit();
            var single = 0.0;
            var bulk = 0.0;
            var server = "";
            for (var round = 0; round < 2; round++) {
                try (var place = MongoTestServer.start()) {
                    server = place.kind();
                    makeIndexes(crawl, place);
                    single = rate(() -> insert(crawl, place));
                }
                try (var place = MongoTestServer.start()) {
                    makeIndexes(crawl, place);
                    bulk = rate(() -> store(crawl, place));
                }
            }
            return new Result(server, bulk, single);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private double rate(Work work) throws IOException {
        var start = System.nanoTime();
        work.run();
        return pages * 1e9 / (System.nanoTime() - start);
    }

    private static void store(StoredCrawl crawl, MongoTestServer place) throws IOException {
        var settings =
                new MongoSettings(place.uri(), BodyCompression.ZSTD, BATCH, Duration.ofSeconds(1));
        try (var store = new MongoSink(settings, crawl.files())) {
            while (store.step(true)) {}
        }
    }

    private static void makeIndexes(StoredCrawl crawl, MongoTestServer place) throws IOException {
        var files = crawl.files();
        var nothing =
                new CrawlFiles(
                        files.directory(),
                        files.job(),
                        files.fleetPart(),
                        List::of,
                        files.urls(),
                        files.tombstones());
        var settings =
                new MongoSettings(place.uri(), BodyCompression.ZSTD, BATCH, Duration.ofSeconds(1));
        try (var store = new MongoSink(settings, nothing)) {
            var _ = store.step(true);
        }
    }

    private static void insert(StoredCrawl crawl, MongoTestServer place) throws IOException {
        var files = crawl.files();
        var database = place.database().withWriteConcern(WriteConcern.MAJORITY);
        var content = database.getCollection(MongoSink.CONTENT);
        var metadata = database.getCollection(MongoSink.METADATA);
        try (var documents = new PageDocuments(files, BodyCompression.ZSTD);
                var log = PageLogReader.open(files.directory(), files::logBytes)) {
            for (var lines = log.next(BATCH); !lines.isEmpty(); lines = log.next(BATCH)) {
                for (var line : lines) {
                    var body = documents.content(line.entry());
                    if (body.isPresent()) {
                        var _ = content.insertOne(body.get());
                    }
                    var _ = metadata.insertOne(documents.metadata(line.entry()));
                }
            }
        }
    }
}
