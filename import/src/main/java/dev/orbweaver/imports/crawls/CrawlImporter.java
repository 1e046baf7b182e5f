package dev.orbweaver.imports.crawls;

import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/**
 * Reads the crawl of another program. To import from one more program, implement this interface.
 *
 * <p>Messages of its exceptions are whole sentences: what failed, and what to do.
 */
public interface CrawlImporter extends Closeable {

    /**
     * Returns what is read, without secrets. An interrupted import is continued only if this text
     * is the same.
     */
    String source();

    /** Returns the tables or files, in the order of their import: those of visited URLs first. */
    List<Part> parts() throws IOException;

    /**
     * Passes on what is known of hosts; files of other programs have nothing of them.
     *
     * @return the number of rows that were read
     */
    default long readHosts(HostOutput out) throws IOException, InterruptedException {
        return 0;
    }

    /** Counts the rows of hosts in the source. */
    default long countHosts() throws IOException, InterruptedException {
        return 0;
    }

    /** A table or file of URLs. */
    interface Part {

        /** Returns a short name, which identifies the part in its source. */
        String name();

        /**
         * Passes on every row once.
         *
         * @param after the last key that was passed to {@link RowOutput#checkpoint} by an
         *     interrupted run, or empty; rows up to this key are left out
         */
        void read(String after, RowOutput out) throws IOException, InterruptedException;

        /** Counts the rows in the source, including those before a checkpoint. */
        long countRows() throws IOException, InterruptedException;
    }

    /** Receives the rows of a part. The text of a URL is checked later. */
    interface RowOutput {

        void visited(String url) throws IOException;

        /**
         * Receives a URL to fetch.
         *
         * @param points added to its priority
         */
        void queued(String url, int depth, int points) throws IOException;

        /** Returns whether {@link #checkpoint} should be called now, if rows have keys. */
        boolean isCheckpointDue();

        /** Stores the key of the last row, so that an interrupted import continues after it. */
        void checkpoint(String key) throws IOException;
    }

    /** Receives what is known of hosts. */
    interface HostOutput {

        /** Receives a domain that must not be crawled, with its subdomains. */
        void excluded(String domain) throws IOException;

        /** Receives when the other program last fetched from a host, or was to do so. */
        void lastRequest(String host, Instant at) throws IOException;

        /** Receives the robots.txt file of a host, for http and https. */
        void robots(String host, String text, Instant expires) throws IOException;
    }
}
