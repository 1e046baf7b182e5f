package dev.orbweaver.internal.seeds;

import java.io.IOException;

/** Receives what a {@link SeedSource} reads, from one thread, in the order of the source. */
public interface SeedOutput {

    /** Receives a URL. Blocks while the receiver is slower than the source. */
    void add(SeedEntry entry) throws IOException;

    /**
     * Receives an entry that is not a URL.
     *
     * @param line number of the line or record in its file, from 1
     * @param text the entry, possibly shortened
     */
    void reject(long line, String text, String reason) throws IOException;

    /** Receives one short sentence about how far the source is. */
    void progress(String what);
}
