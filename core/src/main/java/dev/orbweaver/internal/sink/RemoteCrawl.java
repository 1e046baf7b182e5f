package dev.orbweaver.internal.sink;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** A crawl that a sink has copied to a remote store, as far as revisit records can refer to it. */
public interface RemoteCrawl extends Closeable {

    /** Returns a text of letters and digits that changes whenever the crawl's copy changes. */
    String version();

    /** Returns the names of the WARC files below the crawl's directory. */
    List<String> warcs();

    /** Copies the page log. */
    void copyPageLog(OutputStream out) throws IOException;

    /** Returns the text of the crawl's tombstones, empty if there are none. */
    String tombstones() throws IOException;

    /** Reads bytes of a WARC file; fewer than wanted only at its end. */
    byte[] read(String warc, long offset, int length) throws IOException;

    /**
     * Records that another crawl refers to this one, so that its records are kept.
     *
     * @param name of the file that registers it
     */
    void addDependent(String name, String text) throws IOException;
}
