package dev.orbweaver.internal.sink;

/**
 * Which records are written, and with which digests.
 *
 * @param blockDigests whether records have a digest of the whole block besides the payload's
 * @param revisits whether a payload that is already archived is referred to instead of stored again
 * @param outlinks whether a {@code metadata} record lists each page's links
 * @param dns whether a {@code resource} record has the address of each host
 */
public record RecordOptions(boolean blockDigests, boolean revisits, boolean outlinks, boolean dns) {

    public static final RecordOptions DEFAULT = new RecordOptions(true, true, false, false);
}
