package dev.orbweaver.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Small files that are always whole: after a crash there is the old text or the new one. */
public final class WholeFile {

    private WholeFile() {}

    /** Puts a text in place of whatever the file held. */
    public static void write(Disk disk, Path file, String text) throws IOException {
        write(disk, file, text, false);
    }

    /** The same with a file that other users cannot read, from before its first byte on. */
    public static void writePrivate(Disk disk, Path file, String text) throws IOException {
        write(disk, file, text, true);
    }

    private static void write(Disk disk, Path file, String text, boolean isPrivate)
            throws IOException {
        var unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        disk.delete(unfinished);
        try (var out = disk.append(unfinished)) {
            if (isPrivate) {
                disk.makePrivate(unfinished);
            }
            out.append(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            out.sync();
        }
        disk.moveAtomically(unfinished, file);
    }
}
