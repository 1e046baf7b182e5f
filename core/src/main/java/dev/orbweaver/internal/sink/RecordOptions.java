package dev.orbweaver.internal.sink;

/**
 * Which records are written, and what they say.
 *
 * @param blockDigests whether records have a digest of the whole block besides the payload's
 * @param revisits whether a payload that is in the archive already is referred to instead of stored
 *     again
 * @param outlinks whether a {@code metadata} record lists each page's links
 * @param dns whether a {@code resource} record tells the address of each host
 */
public record RecordOptions(boolean blockDigests, boolean revisits, boolean outlinks, boolean dns) {

    /** Both digests, revisits, nothing besides. */
    public static final RecordOptions DEFAULT = new RecordOptions(true, true, false, false);
}
