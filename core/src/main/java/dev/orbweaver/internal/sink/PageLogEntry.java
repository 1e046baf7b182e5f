package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.VisitNumber;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.Locale;

/**
 * One line of the page log.
 *
 * @param parent the line in which the URL was found, 0 for a seed
 * @param simHash 64 bits that are near those of pages with nearly the same text; 0 where the page
 *     has none
 * @param minHash a sketch of the text, 32 bytes in Base64; empty where the page has none
 * @param location where a redirect points
 * @param linksDeferred whether its links were left to be read again later, for want of room
 * @param directives what its owner asks not to be done with it, as words between spaces
 * @param warc the WARC file and where in it the response record lies; empty when nothing was stored
 * @param original of a revisit record: where the response record lies that has the same payload;
 *     {@link WarcLocation#NONE} when the capture has its payload itself; another crawl may have it
 * @param fields what extractors found, as a JSON object; empty when there is nothing
 * @param visit which visit of the URL; after the first, {@code parent} is the line of the visit
 *     before
 * @param superseded whether a compaction has dropped later visits of the URL, and this line is kept
 *     only because revisits refer to its payload
 */
public record PageLogEntry(
        long seq,
        String url,
        Kind kind,
        int status,
        Instant time,
        long milliseconds,
        int depth,
        long parent,
        int retries,
        String mediaType,
        String charset,
        String title,
        int links,
        long simHash,
        String minHash,
        long bytes,
        String digest,
        String location,
        String cause,
        String detail,
        String warc,
        long offset,
        long length,
        boolean linksDeferred,
        String directives,
        WarcLocation original,
        String fields,
        VisitNumber visit,
        boolean superseded) {

    /**
     * Begins a line of a first visit; what is not set is empty, 0, or the start of time.
     *
     * @param seq its number
     */
    public static PageLogEntryBuilder of(long seq, String url, Kind kind) {
        return new PageLogEntryBuilder(seq, url, kind);
    }

    public String host() {
        var start = url.indexOf("//") + 2;
        var end = start;
        while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
            end++;
        }
        var authority = url.substring(start, end);
        var colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }

    /** Returns a redirect that does not say where to. */
    public PageLogEntry withoutLocation() {
        return changed().location("").build();
    }

    /** Returns the same line with its records elsewhere. */
    PageLogEntry withLocation(WarcLocation place, WarcLocation originalPlace) {
        return changed().stored(place).original(originalPlace).build();
    }

    /** Returns the line of a visit whose later visits are dropped. */
    PageLogEntry asSuperseded() {
        return changed().superseded(true).build();
    }

    /** Returns the line of a visit that found the document as it was at the visit before. */
    PageLogEntry withDocumentOf(PageLogEntry last) {
        return changed()
                .mediaType(last.mediaType)
                .charset(last.charset)
                .title(last.title)
                .simHash(last.simHash)
                .minHash(last.minHash)
                .bytes(last.bytes)
                .directives(last.directives)
                .fields(last.fields)
                .build();
    }

    private PageLogEntryBuilder changed() {
        return new PageLogEntryBuilder(this);
    }

    /** Returns the line of the first visit of the URL. */
    public long firstLine() {
        return visit.isFirst() ? seq : visit.first();
    }

    /** Whether a response was stored. */
    public boolean isStored() {
        return !warc.isEmpty();
    }

    /**
     * The capture in which the URL was found; none where a damaged line names an impossible one.
     */
    public CaptureRef parentRef() {
        return CaptureRef.isPacked(parent) ? CaptureRef.unpack(parent) : CaptureRef.NONE;
    }

    static PageLogEntry fromJson(JsonNode line) {
        return of(
                        line.path("seq").asLong(),
                        line.path("url").asString(""),
                        Kind.valueOf(line.path("kind").asString("").toUpperCase(Locale.ROOT)))
                .status(line.path("status").asInt(0))
                .time(Instant.parse(line.path("time").asString("")))
                .milliseconds(line.path("ms").asLong(0))
                .depth(line.path("depth").asInt(0))
                .parent(line.path("parent").asLong(0))
                .retries(line.path("retries").asInt(0))
                .mediaType(line.path("type").asString(""))
                .charset(line.path("charset").asString(""))
                .title(line.path("title").asString(""))
                .links(line.path("links").asInt(0))
                .simHash(Long.parseUnsignedLong(line.path("simhash").asString("0"), 16))
                .minHash(line.path("minhash").asString(""))
                .bytes(line.path("bytes").asLong(0))
                .digest(line.path("digest").asString(""))
                .location(line.path("location").asString(""))
                .cause(line.path("cause").asString(""))
                .detail(line.path("detail").asString(""))
                .stored(
                        new WarcLocation(
                                line.path("warc").asString(""),
                                line.path("offset").asLong(0),
                                line.path("length").asLong(0)))
                .linksDeferred(line.path("links-deferred").asInt(0) == 1)
                .directives(line.path("directives").asString(""))
                .original(
                        new WarcLocation(
                                line.path("original-crawl").asString(""),
                                line.path("original").asString(""),
                                line.path("original-offset").asLong(0),
                                line.path("original-length").asLong(0),
                                line.path("original-line").asLong(0)))
                .fields(line.has("fields") ? line.path("fields").toString() : "")
                .visit(new VisitNumber(line.path("visit").asInt(1), line.path("first").asLong(0)))
                .superseded(line.path("superseded").asInt(0) == 1)
                .build();
    }

    byte[] toJsonLine() {
        return new JsonLine()
                .number("seq", seq)
                .text("url", url)
                .unescapedText("kind", kind.name().toLowerCase(Locale.ROOT))
                .number("status", status)
                .time("time", time)
                .number("ms", milliseconds)
                .number("depth", depth)
                .number("parent", parent)
                .number("visit", visit.isFirst() ? 0 : visit.number())
                .number("first", visit.first())
                .number("superseded", superseded ? 1 : 0)
                .number("retries", retries)
                .text("type", mediaType)
                .text("charset", charset)
                .text("title", title)
                .number("links", links)
                .hex("simhash", simHash)
                .text("minhash", minHash)
                .number("bytes", bytes)
                .text("digest", digest)
                .text("location", location)
                .text("cause", cause)
                .text("detail", detail)
                .text("warc", warc)
                .number("offset", offset)
                .number("length", length)
                .number("links-deferred", linksDeferred ? 1 : 0)
                .text("directives", directives)
                .text("original", original.warc())
                .number("original-offset", original.offset())
                .number("original-length", original.length())
                .text("original-crawl", original.crawl())
                .number("original-line", original.line())
                .json("fields", fields)
                .toBytes();
    }
}
