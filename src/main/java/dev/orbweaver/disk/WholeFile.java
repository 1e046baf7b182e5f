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
        write(disk, file, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Puts these bytes in place of the file's content. */
    public static void write(Disk disk, Path file, byte[] content) throws IOException {
        var unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        disk.delete(unfinished);
        try (var out = disk.append(unfinished)) {
            out.append(ByteBuffer.wrap(content));
            out.sync();
        }
        disk.moveAtomically(unfinished, file);
    }
}
