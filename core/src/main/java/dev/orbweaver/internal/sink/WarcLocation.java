package dev.orbweaver.internal.sink;

/**
 * The location of a record.
 *
 * @param warc the WARC file below the crawl's directory, empty for none
 * @param length of the record as stored
 */
public record WarcLocation(String warc, long offset, long length) {

    public static final WarcLocation NONE = new WarcLocation("", 0, 0);
}
