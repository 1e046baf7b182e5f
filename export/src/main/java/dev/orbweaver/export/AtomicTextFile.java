package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** A text file that is renamed to its final name when it is complete; otherwise it is deleted. */
final class AtomicTextFile implements AutoCloseable {

    private static final String UNFINISHED = ".unfinished";

    private final Optional<Path> file;
    private final Writer out;
    private boolean finished;

    private AtomicTextFile(Optional<Path> file, OutputStream out) {
        this.file = file;
        // A lone surrogate, as in titles of broken pages, is replaced instead of rejected.
        this.out = new BufferedWriter(new OutputStreamWriter(out, UTF_8), 1 << 16);
    }

    static AtomicTextFile create(Path file) throws IOException {
        createParent(file);
        return new AtomicTextFile(Optional.of(file), Files.newOutputStream(unfinishedPath(file)));
    }

    /** Finishes the file without closing the stream. */
    static AtomicTextFile toStream(OutputStream stream) {
        return new AtomicTextFile(Optional.empty(), stream);
    }

    static void createParent(Path file) throws IOException {
        var parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
    }

    static Path unfinishedPath(Path file) {
        return file.resolveSibling(file.getFileName() + UNFINISHED);
    }

    void write(String text) throws IOException {
        out.write(text);
    }

    void finish() throws IOException {
        if (file.isPresent()) {
            out.close();
            Files.move(
                    unfinishedPath(file.get()),
                    file.get(),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
        } else {
            out.flush();
        }
        finished = true;
    }

    @Override
    public void close() throws IOException {
        if (!finished && file.isPresent()) {
            try {
                out.close();
            } finally {
                Files.deleteIfExists(unfinishedPath(file.get()));
            }
        }
    }
}
