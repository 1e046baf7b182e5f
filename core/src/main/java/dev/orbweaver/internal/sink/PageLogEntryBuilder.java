package dev.orbweaver.internal.sink;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.VisitNumber;

import java.time.Instant;

/**
 * Builds a line of the page log, new or with some components of another one changed; the components
 * are those of {@link PageLogEntry}.
 */
public final class PageLogEntryBuilder {

    private final long seq;
    private final String url;
    private final Kind kind;
    private int status;
    private Instant time = Instant.EPOCH;
    private long milliseconds;
    private int depth;
    private long parent;
    private int retries;
    private String mediaType = "";
    private String charset = "";
    private String title = "";
    private int links;
    private long simHash;
    private String minHash = "";
    private long bytes;
    private String digest = "";
    private String location = "";
    private String cause = "";
    private String detail = "";
    private String warc = "";
    private long offset;
    private long length;
    private boolean linksDeferred;
    private String directives = "";
    private WarcLocation original = WarcLocation.NONE;
    private String fields = "";
    private VisitNumber visit = VisitNumber.FIRST;
    private boolean superseded;

    PageLogEntryBuilder(long seq, String url, Kind kind) {
        this.seq = seq;
        this.url = url;
        this.kind = kind;
    }

    PageLogEntryBuilder(PageLogEntry entry) {
        seq = entry.seq();
        url = entry.url();
        kind = entry.kind();
        status = entry.status();
        time = entry.time();
        milliseconds = entry.milliseconds();
        depth = entry.depth();
        parent = entry.parent();
        retries = entry.retries();
        mediaType = entry.mediaType();
        charset = entry.charset();
        title = entry.title();
        links = entry.links();
        simHash = entry.simHash();
        minHash = entry.minHash();
        bytes = entry.bytes();
        digest = entry.digest();
        location = entry.location();
        cause = entry.cause();
        detail = entry.detail();
        warc = entry.warc();
        offset = entry.offset();
        length = entry.length();
        linksDeferred = entry.linksDeferred();
        directives = entry.directives();
        original = entry.original();
        fields = entry.fields();
        visit = entry.visit();
        superseded = entry.superseded();
    }

    public PageLogEntryBuilder status(int value) {
        status = value;
        return this;
    }

    public PageLogEntryBuilder time(Instant value) {
        time = value;
        return this;
    }

    public PageLogEntryBuilder milliseconds(long value) {
        milliseconds = value;
        return this;
    }

    public PageLogEntryBuilder depth(int value) {
        depth = value;
        return this;
    }

    public PageLogEntryBuilder parent(long value) {
        parent = value;
        return this;
    }

    public PageLogEntryBuilder retries(int value) {
        retries = value;
        return this;
    }

    public PageLogEntryBuilder mediaType(String value) {
        mediaType = value;
        return this;
    }

    public PageLogEntryBuilder charset(String value) {
        charset = value;
        return this;
    }

    public PageLogEntryBuilder title(String value) {
        title = value;
        return this;
    }

    public PageLogEntryBuilder links(int value) {
        links = value;
        return this;
    }

    public PageLogEntryBuilder simHash(long value) {
        simHash = value;
        return this;
    }

    public PageLogEntryBuilder minHash(String value) {
        minHash = value;
        return this;
    }

    public PageLogEntryBuilder bytes(long value) {
        bytes = value;
        return this;
    }

    public PageLogEntryBuilder digest(String value) {
        digest = value;
        return this;
    }

    public PageLogEntryBuilder location(String value) {
        location = value;
        return this;
    }

    public PageLogEntryBuilder cause(String value) {
        cause = value;
        return this;
    }

    public PageLogEntryBuilder detail(String value) {
        detail = value;
        return this;
    }

    /** Sets the file, and where in it the records are. */
    public PageLogEntryBuilder stored(WarcLocation value) {
        warc = value.warc();
        offset = value.offset();
        length = value.length();
        return this;
    }

    public PageLogEntryBuilder linksDeferred(boolean value) {
        linksDeferred = value;
        return this;
    }

    public PageLogEntryBuilder directives(String value) {
        directives = value;
        return this;
    }

    public PageLogEntryBuilder original(WarcLocation value) {
        original = value;
        return this;
    }

    public PageLogEntryBuilder fields(String value) {
        fields = value;
        return this;
    }

    public PageLogEntryBuilder visit(VisitNumber value) {
        visit = value;
        return this;
    }

    public PageLogEntryBuilder superseded(boolean value) {
        superseded = value;
        return this;
    }

    public PageLogEntry build() {
        return new PageLogEntry(
                seq,
                url,
                kind,
                status,
                time,
                milliseconds,
                depth,
                parent,
                retries,
                mediaType,
                charset,
                title,
                links,
                simHash,
                minHash,
                bytes,
                digest,
                location,
                cause,
                detail,
                warc,
                offset,
                length,
                linksDeferred,
                directives,
                original,
                fields,
                visit,
                superseded);
    }
}
