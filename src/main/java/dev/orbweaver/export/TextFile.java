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

/**
 * A text that is there when it is whole: it is written under another name and takes its own when it
 * is finished. What an export that broke off has written is deleted.
 */
final class TextFile implements AutoCloseable {

    private static final String UNFINISHED = ".unfinished";

    private final Optional<Path> file;
    private final Writer out;
    private boolean finished;

    private TextFile(Optional<Path> file, OutputStream out) {
        this.file = file;
        // Half a surrogate pair, as broken pages have in their titles, is replaced and not refused.
        this.out = new BufferedWriter(new OutputStreamWriter(out, UTF_8), 1 << 16);
    }

    static TextFile create(Path file) throws IOException {
        createParent(file);
        return new TextFile(Optional.of(file), Files.newOutputStream(unfinished(file)));
    }

    /** Text for a stream that belongs to somebody else. */
    static TextFile over(OutputStream stream) {
        return new TextFile(Optional.empty(), stream);
    }

    static void createParent(Path file) throws IOException {
        var parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
    }

    static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + UNFINISHED);
    }

    void write(String text) throws IOException {
        out.write(text);
    }

    /** Everything is written. */
    void finish() throws IOException {
        if (file.isPresent()) {
            out.close();
            Files.move(
                    unfinished(file.get()),
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
                Files.deleteIfExists(unfinished(file.get()));
            }
        }
    }
}
