package dev.orbweaver.internal.sink;

/**
 * The location of a record.
 *
 * @param crawl the other crawl that has the record: an absolute path or {@code s3://BUCKET/PREFIX};
 *     the absolute path of a WARC or WACZ file of any program; empty for this crawl
 * @param warc the WARC file below the crawl's directory, empty for none
 * @param length of the record as stored
 * @param line of the other crawl's page log, which stays the same when that crawl is compacted; the
 *     number of the record in a WARC file; 0 for this crawl
 */
public record WarcLocation(String crawl, String warc, long offset, long length, long line) {

    public static final WarcLocation NONE = new WarcLocation("", 0, 0);

    /** Creates the location of a record of this crawl. */
    public WarcLocation(String warc, long offset, long length) {
        this("", warc, offset, length, 0);
    }

    /** Returns whether another crawl has the record. */
    public boolean isElsewhere() {
        return !crawl.isEmpty();
    }

    /** Returns how a user finds the record, if it is elsewhere. */
    String describe() {
        return (ArchiveFile.isPlace(crawl) ? "record %d of %s" : "line %d of the page log of %s")
                .formatted(line, crawl);
    }

    /** Returns the location as the crawl that has the record knows it. */
    WarcLocation withinCrawl() {
        return new WarcLocation(warc, offset, length);
    }
}
