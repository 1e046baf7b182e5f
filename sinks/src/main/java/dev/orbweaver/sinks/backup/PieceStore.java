package dev.orbweaver.sinks.backup;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Stores checkpoints and the pieces of files that they name: a directory or a bucket. Names have
 * parts separated by slashes.
 */
public interface PieceStore extends Closeable {

    /** Reads a small text, if it exists. */
    Optional<String> getText(String name) throws IOException;

    /**
     * Writes a small text. After a crash it is there as a whole or not at all, and everything that
     * was put before it is there.
     */
    void putText(String name, String text) throws IOException;

    /**
     * Stores a part of a file under the key of the piece.
     *
     * @throws IOException also if the bytes do not have the piece's hash; then nothing is stored
     */
    void put(Checkpoint.Piece piece, Path file, long offset) throws IOException;

    /**
     * Copies a piece.
     *
     * @throws IOException also if the bytes do not have the piece's hash
     */
    void get(Checkpoint.Piece piece, OutputStream out) throws IOException;

    /** Lists the names that begin with a prefix. */
    List<String> list(String prefix) throws IOException;

    void delete(String name) throws IOException;

    /** Removes what interrupted calls of {@link #put} left for names with this prefix. */
    void removeUnfinished(String prefix) throws IOException;

    /**
     * Keeps other processes from changing the store until the lock is closed.
     *
     * @throws IOException if another process holds the lock; a bucket has none
     */
    Closeable lock() throws IOException;

    /** Returns the location as a user writes it. */
    @Override
    String toString();
}
