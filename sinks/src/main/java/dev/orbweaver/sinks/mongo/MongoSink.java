package dev.orbweaver.sinks.mongo;

import com.mongodb.ConnectionString;
import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexModel;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;

import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogLine;
import dev.orbweaver.internal.sink.PageLogPosition;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.SinkCounts;
import dev.orbweaver.sinks.CrawlFiles;
import dev.orbweaver.sinks.ExternalSink;

import org.bson.Document;
import org.bson.types.Binary;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Stores the page log as documents in MongoDB.
 *
 * <p>A batch of lines is written in three steps, each acknowledged by a majority before the next
 * begins: the bodies, the metadata of the visits, the position after the last line. Within a step
 * the order does not matter, and every write is an upsert of a whole document under an ID derived
 * from the line. So the position never covers lines that are not stored, metadata never points to a
 * missing body, and repeating writes after a crash of either side gives the same result.
 *
 * <p>The position is stored in the same database as the documents: a database that was emptied, or
 * restored from an older backup, is filled again from its own position. If the log no longer has
 * the position (a loss of power rolled lines back, {@code compact} rewrote it), the sink reads the
 * whole log again; documents of this crawl without a line are then deleted.
 */
public final class MongoSink implements ExternalSink {

    public static final String METADATA = "pages_metadata";

    public static final String CONTENT = "pages_content";

    public static final String POSITIONS = "sink_positions";

    private static final Pattern CAUSED_BY = Pattern.compile("caused by \\{([^}]+)\\}");

    /** Number of scanned documents after which the activity changes. */
    private static final int ACTIVITY_EVERY = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(MongoSink.class);

    private static final String RECHECK_UNTIL = "doubted";
    private static final String DATABASE = "orbweaver";
    private static final String UNIT = "lines";
    private static final int SELECTION_SECONDS = 5;
    private static final int READ_SECONDS = 60;

    /** Maximum bodies per write; fewer if they are large. */
    private static final int BODIES_PER_WRITE_MAX = 125;

    private static final long BYTES_PER_WRITE_MAX = 16L << 20;

    /** Reading and compressing takes longer than a server needs to store the result. */
    private static final int COMPRESSOR_THREADS = 2;

    private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);
    private static final InsertManyOptions UNORDERED_INSERT =
            new InsertManyOptions().ordered(false);
    private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

    private final MongoSettings settings;
    private final CrawlFiles crawl;
    private final PageDocuments documents;
    private final PageLogReader log;
    private final ExecutorService compressors =
            Executors.newFixedThreadPool(
                    COMPRESSOR_THREADS,
                    Thread.ofPlatform().daemon().name("sink-mongodb-bodies-", 0).factory());

    /** One for each compressor thread. */
    private final BlockingQueue<PageDocuments> idleDocuments =
            new ArrayBlockingQueue<>(COMPRESSOR_THREADS);

    private @Nullable MongoClient client;
    private boolean ready;
    private boolean takeDownsApplied;

    /** Lines up to this one are rechecked: documents without a line are deleted. */
    private long recheckUntil;

    private volatile Progress progress = Progress.none(UNIT);
    private volatile SinkCounts counts = SinkCounts.NONE;

    /** Creates a sink, which opens nothing before the first step. */
    public MongoSink(MongoSettings settings, CrawlFiles crawl) {
        this.settings = settings;
        this.crawl = crawl;
        this.documents = new PageDocuments(crawl, settings.compression());
        for (var i = 0; i < COMPRESSOR_THREADS; i++) {
            idleDocuments.add(new PageDocuments(crawl, settings.compression()));
        }
        this.log = PageLogReader.open(crawl.directory(), crawl::logBytes);
    }

    @Override
    public String name() {
        return "mongodb";
    }

    @Override
    public Progress progress() {
        return progress;
    }

    @Override
    public SinkCounts counts() {
        return counts;
    }

    @Override
    public boolean step(boolean draining) throws IOException {
        try {
            updateProgress(progress.done());
            var sinkCollections = collections();
            if (draining && !takeDownsApplied) {
                deleteTakenDown(sinkCollections);
                takeDownsApplied = true;
            }
            var lines =
                    draining
                            ? log.next(settings.batch())
                            : log.await(settings.batch(), settings.flush());
            if (!lines.isEmpty()) {
                write(sinkCollections, lines);
            }
            updateProgress(log.position().seq());
            return !lines.isEmpty();
        } catch (MongoException | IllegalArgumentException e) {
            ready = false;
            throw new IOException(shortMessage(e), e);
        } catch (IOException e) {
            ready = false;
            throw e;
        }
    }

    private void updateProgress(long done) throws IOException {
        progress = new Progress(done, Math.max(done, log.end().seq()), UNIT, done);
    }

    /** Returns the collections, with the reader at the saved position. */
    private SinkCollections collections() throws IOException {
        var sinkCollections = SinkCollections.of(client(), settings.uri());
        if (!ready) {
            sinkCollections.createIndexes();
            var saved = sinkCollections.positions.find(Filters.eq(crawl.job())).first();
            var kept = position(saved);
            recheckUntil = savedRecheckUntil(saved);
            if (!log.seek(kept)) {
                LOG.warn(
                        "the position stored in MongoDB is no longer in the page log; reading the"
                                + " whole log again");
                recheckUntil = Math.max(recheckUntil, kept.seq());
                sinkCollections.deleteAfter(crawl.job(), log.end().seq());
                var _ = log.seek(PageLogPosition.START);
            }
            deleteTakenDown(sinkCollections);
            ready = true;
        }
        return sinkCollections;
    }

    private void deleteTakenDown(SinkCollections sinkCollections) {
        if (crawl.tombstones().isEmpty()) {
            return;
        }
        var visits =
                sinkCollections
                        .metadata
                        .find(Filters.eq("job", crawl.job()))
                        .projection(Projections.include("url"));
        var seen = 0L;
        for (var visit : visits) {
            if (++seen % ACTIVITY_EVERY == 0) {
                var now = progress;
                progress = new Progress(now.done(), now.total(), UNIT, now.activity() + 1);
            }
            if (crawl.tombstones().covers(visit.getString("url"))) {
                sinkCollections.delete(visit.getString("_id"));
            }
        }
    }

    private MongoClient client() {
        var there = client;
        if (there == null) {
            var uri = new ConnectionString(settings.uri());
            var options = MongoClientSettings.builder().applyConnectionString(uri);
            if (uri.getServerSelectionTimeout() == null) {
                options.applyToClusterSettings(
                        cluster ->
                                cluster.serverSelectionTimeout(
                                        SELECTION_SECONDS, TimeUnit.SECONDS));
            }
            if (uri.getSocketTimeout() == null) {
                options.applyToSocketSettings(
                        socket -> socket.readTimeout(READ_SECONDS, TimeUnit.SECONDS));
            }
            if (uri.getWriteConcern() == null) {
                options.writeConcern(WriteConcern.MAJORITY);
            }
            there = MongoClients.create(options.build());
            client = there;
        }
        return there;
    }

    private static PageLogPosition position(@Nullable Document kept) {
        return kept == null
                ? PageLogPosition.START
                : new PageLogPosition(
                        kept.getLong("offset"), kept.getLong("visit"), kept.getInteger("check"));
    }

    /** Returns until which line to recheck; a recheck continues after a restart. */
    private static long savedRecheckUntil(@Nullable Document kept) {
        var until = kept == null ? null : kept.getLong(RECHECK_UNTIL);
        return until == null ? 0 : until;
    }

    private void write(SinkCollections sinkCollections, List<PageLogLine> lines)
            throws IOException {
        var visits = new LinkedHashMap<String, Document>();
        for (var line : lines) {
            var entry = line.entry();
            if (crawl.tombstones().covers(entry.url())) {
                sinkCollections.delete(documents.id(entry));
            } else {
                visits.put(documents.id(entry), documents.metadata(entry));
            }
        }
        var bodies = writeBodies(sinkCollections, lines);
        write(sinkCollections.metadata, visits);
        var first = lines.getFirst().entry();
        if (first.seq() <= recheckUntil) {
            sinkCollections.deleteOthers(
                    crawl.job(), first, lines.getLast().entry(), visits.keySet());
        }
        savePosition(sinkCollections, lines.getLast().after());
        counts =
                counts.plus(
                        new SinkCounts(
                                1,
                                lines.size(),
                                settings.batch(),
                                bodies.raw,
                                bodies.compressed,
                                0));
    }

    private record BodyBytes(long raw, long compressed) {

        BodyBytes plus(Iterable<Document> bodies) {
            var raws = raw;
            var packs = compressed;
            for (var body : bodies) {
                // A document that only refers to the WARC file has no bytes here.
                if (body.get(PageDocuments.BODY) instanceof Binary bytes) {
                    raws += body.getLong(PageDocuments.ORIGINAL_SIZE);
                    packs += bytes.length();
                }
            }
            return new BodyBytes(raws, packs);
        }
    }

    /** Writes the bodies: while some are sent, the next are read and compressed. */
    private BodyBytes writeBodies(SinkCollections sinkCollections, List<PageLogLine> lines)
            throws IOException {
        var bodyBytes = new BodyBytes(0, 0);
        var pieces = writeBatches(lines);
        var packed = new ArrayDeque<Future<Map<String, Document>>>();
        for (var next = 0; next < pieces.size() || !packed.isEmpty(); ) {
            while (next < pieces.size() && packed.size() <= COMPRESSOR_THREADS) {
                var piece = pieces.get(next++);
                packed.add(compressors.submit(() -> compressBodies(piece)));
            }
            var bodies = await(packed.remove());
            write(sinkCollections.content, bodies);
            bodyBytes = bodyBytes.plus(bodies.values());
        }
        return bodyBytes;
    }

    /** Returns the lines whose bodies are sent in one write, by the lengths of their records. */
    private static List<List<PageLogEntry>> writeBatches(List<PageLogLine> lines) {
        var pieces = new ArrayList<List<PageLogEntry>>();
        var piece = new ArrayList<PageLogEntry>();
        var bytes = 0L;
        for (var line : lines) {
            var entry = line.entry();
            piece.add(entry);
            bytes += Math.max(entry.length(), entry.original().length());
            if (piece.size() == BODIES_PER_WRITE_MAX || bytes >= BYTES_PER_WRITE_MAX) {
                pieces.add(piece);
                piece = new ArrayList<>();
                bytes = 0;
            }
        }
        pieces.add(piece);
        return pieces;
    }

    private Map<String, Document> compressBodies(List<PageLogEntry> entries)
            throws IOException, InterruptedException {
        var mine = idleDocuments.take();
        try {
            var bodies = new LinkedHashMap<String, Document>();
            for (var entry : entries) {
                if (!crawl.tombstones().covers(entry.url())) {
                    mine.content(entry).ifPresent(body -> bodies.put(body.getString("_id"), body));
                }
            }
            return bodies;
        } finally {
            idleDocuments.add(mine);
        }
    }

    private static Map<String, Document> await(Future<Map<String, Document>> packed)
            throws IOException {
        try {
            return packed.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while bodies were read");
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e.getCause());
        }
    }

    /**
     * Writes documents. They are new except for those that a crash left after the position, and an
     * insert costs a server far less than an upsert: so all are inserted, and all replaced if any
     * existed. One operation for each ID: two of the same ID in an unordered batch would race.
     */
    private static void write(MongoCollection<Document> to, Map<String, Document> documents) {
        if (documents.isEmpty()) {
            return;
        }
        try {
            var _ = to.insertMany(List.copyOf(documents.values()), UNORDERED_INSERT);
        } catch (MongoBulkWriteException e) {
            if (!e.getWriteErrors().stream().allMatch(MongoSink::isDuplicate)) {
                throw e;
            }
            upsert(to, documents);
        }
    }

    private static boolean isDuplicate(BulkWriteError error) {
        return error.getCategory() == ErrorCategory.DUPLICATE_KEY;
    }

    private static void upsert(MongoCollection<Document> to, Map<String, Document> documents) {
        var writes = new ArrayList<WriteModel<Document>>(documents.size());
        documents.forEach(
                (id, document) ->
                        writes.add(new ReplaceOneModel<>(Filters.eq(id), document, UPSERT)));
        var _ = to.bulkWrite(writes, UNORDERED);
    }

    private void savePosition(SinkCollections sinkCollections, PageLogPosition position) {
        var saved =
                new Document("_id", crawl.job())
                        .append("offset", position.offset())
                        .append("visit", position.seq())
                        .append("check", position.checksum());
        if (position.seq() < recheckUntil) {
            saved.append(RECHECK_UNTIL, recheckUntil);
        }
        var _ = sinkCollections.positions.replaceOne(Filters.eq(crawl.job()), saved, UPSERT);
    }

    /**
     * Returns a short message: the driver's messages are long and may contain a URI with its
     * password.
     */
    private static String shortMessage(Exception e) {
        // The driver describes the state of the whole cluster; the cause is at the end.
        var cause = CAUSED_BY.matcher(String.valueOf(e.getMessage()));
        var text =
                cause.find()
                        ? "no server responds: " + cause.group(1)
                        : e.getClass().getSimpleName() + ": " + e.getMessage();
        var line = text.lines().findFirst().orElse(text).replaceAll("//[^@/ ]*@", "//...@");
        return line.length() > 200 ? line.substring(0, 200) + "..." : line;
    }

    @Override
    public void close() {
        compressors.close(); // Waits for the tasks: their compressors are closed next.
        idleDocuments.forEach(PageDocuments::close);
        documents.close();
        if (client != null) {
            client.close();
        }
        try {
            log.close();
        } catch (IOException e) {
            LOG.warn("could not close the page log: {}", e.getMessage());
        }
    }

    private record SinkCollections(
            MongoCollection<Document> metadata,
            MongoCollection<Document> content,
            MongoCollection<Document> positions) {

        static SinkCollections of(MongoClient client, String uri) {
            var named = new ConnectionString(uri).getDatabase();
            var there = client.getDatabase(named == null ? DATABASE : named);
            return new SinkCollections(
                    there.getCollection(METADATA),
                    there.getCollection(CONTENT),
                    there.getCollection(POSITIONS));
        }

        /** Creates the indexes; idempotent. */
        void createIndexes() {
            var unique = new IndexOptions().unique(true);
            var _ =
                    metadata.createIndexes(
                            List.of(
                                    new IndexModel(
                                            Indexes.ascending("url", "job", "visit"), unique),
                                    new IndexModel(Indexes.ascending("job", "visit")),
                                    new IndexModel(Indexes.ascending("domain")),
                                    new IndexModel(Indexes.ascending("crawled_at")),
                                    new IndexModel(Indexes.ascending("content_hash")),
                                    new IndexModel(Indexes.ascending("depth")),
                                    new IndexModel(Indexes.ascending("status", "crawled_at"))));
            var _ =
                    content.createIndexes(
                            List.of(
                                    new IndexModel(Indexes.ascending("page_id")),
                                    new IndexModel(Indexes.ascending("job", "visit"))));
        }

        void delete(String id) {
            var _ = metadata.deleteOne(Filters.eq(id));
            var _ = content.deleteOne(Filters.eq(id));
        }

        void deleteAfter(String job, long visit) {
            var behind = Filters.and(Filters.eq("job", job), Filters.gt("visit", visit));
            var _ = metadata.deleteMany(behind);
            var _ = content.deleteMany(behind);
        }

        /** Deletes documents with the numbers of these visits but other IDs. */
        void deleteOthers(String job, PageLogEntry first, PageLogEntry last, Iterable<String> ids) {
            var others =
                    Filters.and(
                            Filters.eq("job", job),
                            Filters.gte("visit", first.seq()),
                            Filters.lte("visit", last.seq()),
                            Filters.nin("_id", ids));
            var _ = metadata.deleteMany(others);
            var _ = content.deleteMany(others);
        }
    }
}
