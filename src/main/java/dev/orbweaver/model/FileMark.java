package dev.orbweaver.model;

/**
 * Length and checksum of an output file at a commit; bytes beyond the length were never committed.
 *
 * @param checksum CRC-32C of the file's first {@code length} bytes
 */
public record FileMark(String name, long length, int checksum) {

    /** The mark of a file that was removed; the name stays taken. */
    public static FileMark removed(String name) {
        return new FileMark(name, 0, 0);
    }

    /** The same mark under another name. */
    public FileMark named(String other) {
        return new FileMark(other, length, checksum);
    }
}
