package dev.orbweaver.internal.seeds;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.model.PrintableText;

import org.jspecify.annotations.Nullable;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The lines of a seed list that were rejected, in a file beside the list: number, reason, text. It
 * is created with its first line.
 */
public final class RejectedLines implements Closeable {

    private static final String EXTENSION = ".rejected.tsv";
    private static final int TEXT_MAX = 200;

    private final Path file;
    private @Nullable BufferedWriter out;

    private RejectedLines(Path file) {
        this.file = file;
    }

    /**
     * Opens the file of a list. Entries behind a line are removed: the process was killed before
     * the position after them was stored, so these lines are read again.
     */
    public static RejectedLines open(Path crawl, String list, long afterLine) throws IOException {
        var file = crawl.resolve(DirectoryLayout.SEEDS).resolve(list + EXTENSION);
        if (Files.exists(file)) {
            truncate(file, afterLine);
        }
        return new RejectedLines(file);
    }

    /** Opens a new file. */
    public static RejectedLines of(Path file) {
        return new RejectedLines(file);
    }

    private static void truncate(Path file, long afterLine) throws IOException {
        var keep = 0L;
        try (var lines = new SeedListReader(file, 0)) {
            var size = Files.size(file);
            while (lines.position() < size) {
                var line = lines.next();
                var tab = line.indexOf('\t');
                if (tab < 0 || Long.parseLong(line.substring(0, tab)) > afterLine) {
                    break;
                }
                keep = lines.position();
            }
        }
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(keep);
        }
    }

    public void add(long line, String reason, String text) throws IOException {
        if (out == null) {
            Files.createDirectories(file.getParent());
            out =
                    Files.newBufferedWriter(
                            file, UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        var shown =
                PrintableText.line(text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) : text);
        out.write(line + "\t" + PrintableText.line(reason) + "\t" + shown + "\n");
    }

    /** Passes all lines to the operating system. */
    public void flush() throws IOException {
        if (out != null) {
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        }
    }
}
