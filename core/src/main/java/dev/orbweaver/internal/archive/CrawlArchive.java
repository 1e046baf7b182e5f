package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.Compaction;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.WarcFiles;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The stored output of one crawl in its directory, whether the crawl is running or not.
 *
 * <p>Only committed lines are read: those within the length that the frontier last committed.
 * Without a frontier, every complete line is read.
 */
public final class CrawlArchive {

    /** Maximum bytes read of a document; text beyond this is not meant for human readers. */
    static final int DOCUMENT_BYTES_MAX = 16 << 20;

    private final Path path;
    private final boolean hasCommittedLengths;
    private final boolean fleetPart;
    private final Map<String, Long> lengths = new HashMap<>();
    private final Optional<Object> logIdentity;
    private final CrawlUrls urls;
    private final CaptureReader captures;

    /**
     * @param marks the committed lengths; empty where they are unknown
     */
    public CrawlArchive(Path path, Optional<List<CommittedLength>> marks, CrawlUrls urls)
            throws IOException {
        this(path, false, logIdentity(path), marks, urls);
    }

    /**
     * @param ofFleet whether this is a worker's part of a job, in which a page may occur twice
     * @param log the {@link #logIdentity} from before the marks were read: the marks do not apply
     *     to a page log that replaced it since then
     */
    public CrawlArchive(
            Path path,
            boolean ofFleet,
            Optional<Object> log,
            Optional<List<CommittedLength>> marks,
            CrawlUrls urls) {
        this.path = path;
        this.fleetPart = ofFleet;
        this.hasCommittedLengths = marks.isPresent();
        this.logIdentity = log;
        marks.ifPresent(all -> all.forEach(mark -> lengths.put(mark.name(), mark.length())));
        this.urls = urls;
        this.captures = new CaptureReader(path);
    }

    public Path path() {
        return path;
    }

    boolean isFleetPart() {
        return fleetPart;
    }

    public CrawlUrls urls() {
        return urls;
    }

    /** Returns the committed length of one of the crawl's files. */
    public long committedLength(String name) throws IOException {
        var file = WarcFiles.find(path, name);
        var size = Files.exists(file) ? Files.size(file) : 0;
        return hasCommittedLengths ? Math.min(size, lengths.getOrDefault(name, 0L)) : size;
    }

    /** Returns the committed length of the page log. */
    long logBytes() throws IOException {
        var log = Compaction.currentLog(path);
        var size = Files.exists(log) ? Files.size(log) : 0;
        return hasCommittedLengths
                ? Math.min(size, lengths.getOrDefault(DirectoryLayout.PAGE_LOG, 0L))
                : size;
    }

    /** Returns a key that distinguishes the page log from a log that replaces it later. */
    public static Optional<Object> logIdentity(Path path) throws IOException {
        var log = Compaction.currentLog(path);
        return Files.exists(log)
                ? Optional.ofNullable(
                        Files.readAttributes(log, BasicFileAttributes.class).fileKey())
                : Optional.empty();
    }

    /** Rejects a page log that has replaced the one to which the committed lengths apply. */
    void requireSameLog() throws IOException {
        if (!logIdentity(path).equals(logIdentity)) {
            throw new IOException(path + " was compacted while it was read; run the command again");
        }
    }

    void forEachLine(int crawl, PageVisitor visitor) throws IOException {
        var length = logBytes();
        if (length == 0) {
            return;
        }
        requireSameLog();
        PageLog.read(
                Compaction.currentLog(path),
                length,
                entry -> visitor.visit(new StoredPage(crawl, entry)));
    }

    public StoredResponse response(StoredPage page) throws IOException {
        var exchange = captures.exchange(page.entry(), url(page));
        var document = StoredDocument.read(exchange, DOCUMENT_BYTES_MAX);
        return new StoredResponse(
                exchange.head(),
                document,
                exchange.truncated().isPresent() || document.length() >= DOCUMENT_BYTES_MAX);
    }

    /** Why a body that was copied is not the one that the server sent. */
    public enum BodyDefect {
        /** The crawl cut it at {@code max-body}. */
        LENGTH,
        /** Its content coding is unknown or damaged, or expands too far. */
        ENCODING
    }

    /**
     * Copies the body of a stored response, content codings undone; of a revisit, that of the
     * original. Memory does not grow with the body.
     *
     * @return why the copy is not complete, empty when it is
     */
    public Optional<BodyDefect> copyBody(StoredPage page, OutputStream out) throws IOException {
        try (var response = captures.open(page.entry())) {
            var decoded =
                    ContentReader.copyDecoded(response.head(), response.body(), page.bytes(), out);
            return response.isTruncated()
                    ? Optional.of(BodyDefect.LENGTH)
                    : decoded ? Optional.empty() : Optional.of(BodyDefect.ENCODING);
        }
    }

    private CrawlUrl url(StoredPage page) throws IOException {
        return urls.parse(page.url())
                .orElseThrow(
                        () -> new IOException("the page log contains an invalid URL: " + page));
    }
}
