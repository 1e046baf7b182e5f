package dev.orbweaver.model;

/**
 * Length and checksum of an output file at a commit; bytes beyond the length were never committed.
 *
 * @param checksum CRC-32C of the file's first {@code length} bytes
 */
public record CommittedLength(String name, long length, int checksum) {

    /** Returns the entry of a removed file; its name is not reused. */
    public static CommittedLength removed(String name) {
        return new CommittedLength(name, 0, 0);
    }

    public CommittedLength withName(String other) {
        return new CommittedLength(other, length, checksum);
    }
}
