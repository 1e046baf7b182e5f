package dev.orbweaver.internal.seeds;

import java.io.IOException;

/** Receives what a {@link SeedSource} reads, from one thread, in the order of the source. */
public interface SeedOutput {

    /**
     * Receives a URL. Blocks while the receiver is slower than the source.
     *
     * @param number number of the line or record in its file, or among the entries, from 1
     */
    void add(long number, SeedEntry entry) throws IOException;

    /**
     * Receives an entry that is not a URL.
     *
     * @param number as for {@link #add}
     * @param text the entry, possibly shortened
     */
    void reject(long number, String text, String reason) throws IOException;

    /** Receives one short sentence about how far the source is. */
    void progress(String what);
}
