package dev.orbweaver.internal.archive;

import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.WarcLocation;
import dev.orbweaver.model.Capture.Kind;

import java.time.Instant;
import java.util.Set;

/**
 * A line of a page log.
 *
 * @param crawl index of the crawl that it belongs to
 */
public record StoredPage(int crawl, PageLogEntry entry) {

    private static final Set<String> HTML = Set.of("text/html", "application/xhtml+xml");

    public long seq() {
        return entry.seq();
    }

    public String url() {
        return entry.url();
    }

    public Kind kind() {
        return entry.kind();
    }

    public int status() {
        return entry.status();
    }

    public Instant time() {
        return entry.time();
    }

    public long milliseconds() {
        return entry.milliseconds();
    }

    public int depth() {
        return entry.depth();
    }

    public long parent() {
        return entry.parent();
    }

    public int retries() {
        return entry.retries();
    }

    public String mediaType() {
        return entry.mediaType();
    }

    public String charset() {
        return entry.charset();
    }

    public String title() {
        return entry.title();
    }

    public int links() {
        return entry.links();
    }

    public long bytes() {
        return entry.bytes();
    }

    public String digest() {
        return entry.digest();
    }

    public String location() {
        return entry.location();
    }

    public String cause() {
        return entry.cause();
    }

    public String detail() {
        return entry.detail();
    }

    public String warc() {
        return entry.warc();
    }

    public long offset() {
        return entry.offset();
    }

    public long length() {
        return entry.length();
    }

    /** Returns the sketch of the text; empty in a log of an earlier version and without text. */
    public String minHash() {
        return entry.minHash();
    }

    /** Where the payload lies when the record is a revisit. */
    public WarcLocation original() {
        return entry.original();
    }

    /** Returns the fields of extractors as a JSON object on one line, empty when there are none. */
    public String fields() {
        return entry.fields();
    }

    boolean isPage() {
        return kind() == Kind.PAGE;
    }

    public boolean isHtml() {
        return isPage() && isStored() && HTML.contains(mediaType());
    }

    /** Whether the record has the head alone. */
    public boolean isRevisit() {
        return !original().equals(WarcLocation.NONE);
    }

    public WarcLocation warcLocation() {
        return new WarcLocation(warc(), offset(), length());
    }

    public boolean isStored() {
        return entry.isStored();
    }

    public String host() {
        return entry.host();
    }

    /** Host and port as they stand in the URL. */
    public String authority() {
        return entry.url().substring(authorityStart(), pathStart());
    }

    /** The path without query; it begins with a slash. */
    public String path() {
        var query = entry.url().indexOf('?');
        var path = entry.url().substring(pathStart(), query < 0 ? entry.url().length() : query);
        return path.isEmpty() ? "/" : path;
    }

    private int authorityStart() {
        return entry.url().indexOf("//") + 2;
    }

    private int pathStart() {
        var from = authorityStart();
        for (var i = from; i < entry.url().length(); i++) {
            if (entry.url().charAt(i) == '/' || entry.url().charAt(i) == '?') {
                return i;
            }
        }
        return entry.url().length();
    }
}
