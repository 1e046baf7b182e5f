package dev.orbweaver.export;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.sink.PageEntry;
import dev.orbweaver.sink.WarcPlace;

import java.time.Instant;
import java.util.Set;

/**
 * A line of a page log, as exports see it.
 *
 * @param crawl which of the crawls that are shown it belongs to, from 0
 */
record StoredPage(int crawl, PageEntry entry) {

    private static final Set<String> HTML = Set.of("text/html", "application/xhtml+xml");

    long seq() {
        return entry.seq();
    }

    String url() {
        return entry.url();
    }

    Kind kind() {
        return entry.kind();
    }

    int status() {
        return entry.status();
    }

    Instant time() {
        return entry.time();
    }

    long milliseconds() {
        return entry.milliseconds();
    }

    int depth() {
        return entry.depth();
    }

    long parent() {
        return entry.parent();
    }

    int retries() {
        return entry.retries();
    }

    String mediaType() {
        return entry.mediaType();
    }

    String charset() {
        return entry.charset();
    }

    String title() {
        return entry.title();
    }

    int links() {
        return entry.links();
    }

    long bytes() {
        return entry.bytes();
    }

    String digest() {
        return entry.digest();
    }

    String location() {
        return entry.location();
    }

    String cause() {
        return entry.cause();
    }

    String detail() {
        return entry.detail();
    }

    String warc() {
        return entry.warc();
    }

    long offset() {
        return entry.offset();
    }

    long length() {
        return entry.length();
    }

    long simHash() {
        return entry.simHash();
    }

    /** Where the payload lies when the record is a revisit. */
    WarcPlace original() {
        return entry.original();
    }

    boolean isPage() {
        return kind() == Kind.PAGE;
    }

    boolean isHtml() {
        return isPage() && isStored() && HTML.contains(mediaType());
    }

    /** Whether the record has the head alone. */
    boolean isRevisit() {
        return !original().equals(WarcPlace.NONE);
    }

    /** Where its first record lies. */
    WarcPlace place() {
        return new WarcPlace(warc(), offset(), length());
    }

    boolean isStored() {
        return entry.isStored();
    }

    /** The host name, without port. */
    String host() {
        return entry.host();
    }

    /** Host and port as they stand in the URL. */
    String authority() {
        return entry.url().substring(authorityStart(), pathStart());
    }

    /** The path without query; it begins with a slash. */
    String path() {
        var query = entry.url().indexOf('?');
        var path = entry.url().substring(pathStart(), query < 0 ? entry.url().length() : query);
        return path.isEmpty() ? "/" : path;
    }

    /** What stands behind the first question mark, empty where there is none. */
    String query() {
        var query = entry.url().indexOf('?');
        return query < 0 ? "" : entry.url().substring(query + 1);
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
