package dev.orbweaver.internal.sink;

/**
 * Where a record lies.
 *
 * @param warc the WARC file below the crawl's folder, empty for nowhere
 * @param length of the record as it is stored
 */
public record WarcLocation(String warc, long offset, long length) {

    /** Nowhere. */
    public static final WarcLocation NONE = new WarcLocation("", 0, 0);
}
