package dev.orbweaver.imports;

import dev.orbweaver.internal.disk.GunzipStream;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A file of URLs or standard input, decompressed if it is gzip; its first bytes decide.
 *
 * @param name the path, or {@code -} for standard input
 */
public record InputFile(String name, InputStream standardInput) {

    static final String STANDARD_INPUT = "-";

    private static final int BUFFER_BYTES = 64 << 10;

    public InputStream open() throws IOException {
        if (name.equals(STANDARD_INPUT)) {
            return decompressed(
                    new FilterInputStream(standardInput) {
                        @Override
                        public void close() {
                            // Standard input belongs to the process.
                        }
                    });
        }
        return decompressed(Files.newInputStream(path(name)));
    }

    /** Returns the path of a regular file that exists. */
    static Path path(String name) throws IOException {
        try {
            var path = Path.of(name);
            if (Files.isDirectory(path)) {
                throw new SourceException(name + " is a directory; name a file");
            }
            if (!Files.isReadable(path)) {
                throw new SourceException(
                        name
                                + (Files.exists(path)
                                        ? " cannot be read; check its permissions"
                                        : ": no such file"));
            }
            return path;
        } catch (InvalidPathException e) {
            throw new SourceException("'" + name + "' is not a file name");
        }
    }

    /** Returns whether data begins as gzip does; its position stays at the beginning. */
    public static boolean isGzip(BufferedInputStream in) throws IOException {
        in.mark(2);
        var gzip = in.read() == 0x1F && in.read() == 0x8B;
        in.reset();
        return gzip;
    }

    /** Returns the data, decompressed if it is gzip. */
    public static InputStream decompressed(InputStream in) throws IOException {
        var buffered = new BufferedInputStream(in, BUFFER_BYTES);
        return isGzip(buffered)
                ? new BufferedInputStream(new GunzipStream(buffered, BUFFER_BYTES), BUFFER_BYTES)
                : buffered;
    }
}
