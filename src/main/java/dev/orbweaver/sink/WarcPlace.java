package dev.orbweaver.sink;

/**
 * Where a record lies.
 *
 * @param warc the WARC file below the crawl's folder, empty for nowhere
 * @param length of the record as it is stored
 */
public record WarcPlace(String warc, long offset, long length) {

    /** Nowhere. */
    public static final WarcPlace NONE = new WarcPlace("", 0, 0);
}
