package dev.orbweaver.sinks.mongo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.StoredDocument;
import dev.orbweaver.internal.crawl.Fields;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.sinks.CrawlFiles;

import org.bson.Document;
import org.bson.types.Binary;

import java.io.IOException;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Date;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * Converts lines of the page log to documents. Equal lines give equal bytes, so writes can be
 * repeated.
 */
final class PageDocuments implements AutoCloseable {

    /** MongoDB rejects documents over 16 MiB; the rest is for the other fields. */
    static final int BODY_MAX = (16 << 20) - (64 << 10);

    /** A longer response is not read, because its document would not fit. */
    private static final int READ_MAX = 64 << 20;

    static final String BODY = "body";
    static final String ORIGINAL_SIZE = "original_size";

    private static final int TEXT_MAX = 4_096;
    private static final int ID_BYTES = 16;

    /** The worker name of a crawl without a fleet. */
    private static final String LOCAL = "local";

    private final CrawlFiles crawl;
    private final CaptureReader captures;
    private final BodyCompression compression;
    private final BodyCompressor bodyCompressor;

    PageDocuments(CrawlFiles crawl, BodyCompression compression) {
        this.crawl = crawl;
        this.captures = new CaptureReader(crawl.directory());
        this.compression = compression;
        this.bodyCompressor = BodyCompressor.of(compression);
    }

    /** Returns the hash of job, URL and the line's number. */
    String id(PageLogEntry entry) {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            sha.update((crawl.job() + "\n" + entry.url() + "\n" + entry.seq()).getBytes(UTF_8));
            return HexFormat.of().formatHex(sha.digest(), 0, ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing from this Java runtime", e);
        }
    }

    Document metadata(PageLogEntry entry) {
        var document =
                new Document("_id", id(entry))
                        .append("job", crawl.job())
                        .append("visit", entry.seq())
                        .append("url", entry.url())
                        .append("host", entry.host())
                        .append("domain", RegistrableDomain.of(entry.host()))
                        .append("kind", kindName(entry.kind()))
                        .append("crawled_at", Date.from(entry.time()))
                        .append("depth", entry.depth())
                        .append("status", entry.status())
                        .append("links_count", entry.links())
                        .append("size", entry.bytes())
                        .append("duration_ms", entry.milliseconds())
                        .append("worker", crawl.fleetPart().map(FleetPart::worker).orElse(LOCAL));
        crawl.fleetPart().ifPresent(of -> document.append("fleet_job", of.job()));
        text(document, "content_hash", entry.digest());
        if (entry.simHash() != 0) {
            document.append("simhash", HexFormat.of().toHexDigits(entry.simHash()));
        }
        text(document, "type", entry.mediaType());
        text(document, "charset", entry.charset());
        text(document, "title", entry.title());
        text(document, "location", entry.location());
        text(document, "cause", entry.cause());
        text(document, "detail", entry.detail());
        if (entry.parent() != 0) {
            document.append("parent", entry.parent());
        }
        if (entry.retries() != 0) {
            document.append("retries", entry.retries());
        }
        if (entry.isStored()) {
            document.append("warc", warcLocation(entry));
        }
        if (!entry.fields().isEmpty()) {
            document.append("fields", fields(entry));
        }
        return document;
    }

    /**
     * Returns the fields of extractors as text, int64, double, boolean and arrays of text. Names
     * with dots or a leading {@code $} stay as they are, which MongoDB 5 and newer allow. BSON ends
     * a name at NUL, so the driver rejects such a name; it is replaced, because one page must not
     * block all that follow.
     */
    private static Document fields(PageLogEntry entry) {
        var fields = new Document();
        Fields.parse(entry.fields())
                .forEach((name, value) -> fields.append(name.replace('\0', '\uFFFD'), value));
        return fields;
    }

    private static String kindName(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static void text(Document document, String name, String text) {
        if (!text.isEmpty()) {
            document.append(name, text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) : text);
        }
    }

    private static Document warcLocation(PageLogEntry entry) {
        return new Document("file", entry.warc())
                .append("offset", entry.offset())
                .append("length", entry.length());
    }

    /** Returns the body of a page; empty if the line is not a page. */
    Optional<Document> content(PageLogEntry entry) throws IOException {
        if (entry.kind() != Kind.PAGE || !entry.isStored()) {
            return Optional.empty();
        }
        var id = id(entry);
        var document =
                new Document("_id", id)
                        .append("page_id", id)
                        .append("job", crawl.job())
                        .append("visit", entry.seq());
        if (Math.max(entry.length(), entry.original().length()) > READ_MAX) {
            return Optional.of(reference(document, entry, "too long to be read in one piece"));
        }
        var missing = captures.missingPayload(entry);
        if (missing.isPresent()) {
            return Optional.of(reference(document, entry, missing.get()));
        }
        return Optional.of(
                exists(entry.warc())
                                && (entry.original().isElsewhere()
                                        || exists(entry.original().warc()))
                        ? inline(document, entry)
                        : reference(document, entry, "its WARC file was missing"));
    }

    private boolean exists(String warc) {
        return warc.isEmpty() || Files.exists(crawl.locate(warc));
    }

    private Document inline(Document document, PageLogEntry entry) throws IOException {
        var url =
                crawl.urls()
                        .parse(entry.url())
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "the page log contains an invalid URL: " + entry));
        var exchange = captures.exchange(entry, url);
        var body = StoredDocument.read(exchange, READ_MAX + 1);
        if (body.length() > READ_MAX) {
            return reference(document, entry, "longer than " + READ_MAX + " bytes");
        }
        var packed = bodyCompressor.compress(body.bytes(), body.length());
        document.append(ORIGINAL_SIZE, (long) body.length());
        if (packed.length > BODY_MAX) {
            return reference(
                    document,
                    entry,
                    "longer than the maximum document: " + packed.length + " bytes");
        }
        return document.append("encoding", compression.id())
                .append("ratio", body.length() == 0 ? 1.0 : (double) packed.length / body.length())
                .append(BODY, new Binary(packed));
    }

    private static Document reference(Document document, PageLogEntry entry, String why) {
        return document.append("encoding", "reference")
                .append("note", why)
                .append("warc", warcLocation(entry));
    }

    @Override
    public void close() {
        bodyCompressor.close();
    }
}
