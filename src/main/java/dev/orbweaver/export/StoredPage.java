package dev.orbweaver.export;

import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.sink.WarcPlace;

import java.time.Instant;
import java.util.Set;

/**
 * A line of a page log, as exports see it.
 *
 * @param crawl which of the crawls that are shown it belongs to, from 0
 * @param parent the line in which the URL was found, 0 for a seed
 * @param retries requests that failed before this one
 * @param warc the WARC file below the crawl's folder, empty when nothing was stored
 * @param offset where in it the response record lies
 * @param length of the response record
 * @param simHash as in the page log; 0 where the page has none
 * @param original where the payload lies when the record is a revisit
 */
record StoredPage(
        int crawl,
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
        long bytes,
        String digest,
        String location,
        String cause,
        String detail,
        String warc,
        long offset,
        long length,
        long simHash,
        WarcPlace original) {

    private static final Set<String> HTML = Set.of("text/html", "application/xhtml+xml");

    boolean isPage() {
        return kind == Kind.PAGE;
    }

    boolean isHtml() {
        return isPage() && isStored() && HTML.contains(mediaType);
    }

    /** Whether the record has the head alone. */
    boolean isRevisit() {
        return !original.equals(WarcPlace.NONE);
    }

    /** Where its first record lies. */
    WarcPlace place() {
        return new WarcPlace(warc, offset, length);
    }

    boolean isStored() {
        return !warc.isEmpty();
    }

    /** The host name, without port. */
    String host() {
        var authority = url.substring(authorityStart(), pathStart());
        var colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }

    /** Host and port as they stand in the URL. */
    String authority() {
        return url.substring(authorityStart(), pathStart());
    }

    /** The path without query; it begins with a slash. */
    String path() {
        var query = url.indexOf('?');
        var path = url.substring(pathStart(), query < 0 ? url.length() : query);
        return path.isEmpty() ? "/" : path;
    }

    /** What stands behind the first question mark, empty where there is none. */
    String query() {
        var query = url.indexOf('?');
        return query < 0 ? "" : url.substring(query + 1);
    }

    private int authorityStart() {
        return url.indexOf("//") + 2;
    }

    private int pathStart() {
        var from = authorityStart();
        for (var i = from; i < url.length(); i++) {
            if (url.charAt(i) == '/' || url.charAt(i) == '?') {
                return i;
            }
        }
        return url.length();
    }
}
