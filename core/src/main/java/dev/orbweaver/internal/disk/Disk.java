package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * All file operations of frontier and sink, so that tests can truncate, lose or reject any write.
 */
public interface Disk {

    /** Creates a directory and its parents if they do not exist. */
    void createDirectory(Path directory) throws IOException;

    /** Opens a file for appending; creates it if it does not exist. */
    AppendFile append(Path file) throws IOException;

    /** Restricts a file to its owner: no other user of the machine can read or write it. */
    default void makePrivate(Path file) throws IOException {}

    /** Reads a whole file. The writers of files read this way limit their size. */
    byte[] read(Path file) throws IOException;

    MappedFile map(Path file) throws IOException;

    /** Creates or replaces a file filled with zeros, fully allocated, and maps it for writing. */
    MappedFile allocate(Path file, long length) throws IOException;

    /** Maps a file that {@link #allocate} created, with its current content, for writing. */
    MappedFile reopen(Path file) throws IOException;

    boolean exists(Path file);

    long length(Path file) throws IOException;

    /** Truncates a file to a length that is at most its current one. */
    void truncate(Path file, long length) throws IOException;

    /**
     * Renames a file and replaces any file at the target. After a crash, the rename is complete or
     * has not happened.
     */
    void moveAtomically(Path from, Path to) throws IOException;

    /** Deletes a file if it exists. */
    void delete(Path file) throws IOException;

    /** Lists the files of a directory, sorted by name. */
    List<Path> list(Path directory) throws IOException;

    /**
     * Runs appends whose caller continues meanwhile and awaits them later. A simulated disk runs
     * them at once, so that its failures come in the same order in every run.
     */
    default Executor writer() {
        return Runnable::run;
    }

    /** Syncs the directory's entries after files in it were created, renamed or deleted. */
    void syncDirectory(Path directory) throws IOException;
}
