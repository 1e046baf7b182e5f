package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Every file operation of frontier and sink, so that a test can tear, lose or refuse any write. */
public interface Disk {

    /** Makes a folder and those above it; no error when it is there. */
    void createDirectory(Path directory) throws IOException;

    /** Opens a file for writing at its end, making it when it is not there. */
    AppendFile append(Path file) throws IOException;

    /** Lets no other user of the machine read or write a file. */
    default void makePrivate(Path file) throws IOException {}

    /** The whole of a file. Files read this way are bounded by their writers. */
    byte[] read(Path file) throws IOException;

    MappedFile map(Path file) throws IOException;

    /** Makes or replaces a file of zero bytes, all of them allocated, and maps it for writing. */
    MappedFile allocate(Path file, long length) throws IOException;

    /** Opens a file that {@link #allocate} made, as it is now, as memory to write to. */
    MappedFile reopen(Path file) throws IOException;

    boolean exists(Path file);

    long length(Path file) throws IOException;

    /** Cuts a file to a length that is not more than it has. */
    void truncate(Path file, long length) throws IOException;

    /** Renames over whatever was there: after a crash it has happened wholly or not at all. */
    void moveAtomically(Path from, Path to) throws IOException;

    /** Deletes a file; no error when it is not there. */
    void delete(Path file) throws IOException;

    /** The files of a folder, sorted by name. */
    List<Path> list(Path directory) throws IOException;

    /** Makes the folder's own entries durable, after files in it were made, renamed or deleted. */
    void syncDirectory(Path directory) throws IOException;
}
