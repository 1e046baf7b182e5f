package dev.orbweaver.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

public sealed interface ExportTarget {

    record PathTarget(Path path) implements ExportTarget {

        /** The file itself, or one of this name where the path is a directory. */
        Path file(String name) {
            return Files.isDirectory(path) ? path.resolve(name) : path;
        }
    }

    /** A stream that is not closed. */
    record StreamTarget(OutputStream out) implements ExportTarget {}

    default AtomicTextFile openText(String name) throws IOException {
        return switch (this) {
            case PathTarget pathTarget -> AtomicTextFile.create(pathTarget.file(name));
            case StreamTarget(var out) -> AtomicTextFile.toStream(out);
        };
    }

    /** With the format's usual name where the path is a directory. */
    default AtomicTextFile openText(ExportFormat exportFormat) throws IOException {
        return openText(exportFormat.fileName());
    }

    /** For exports that need a path. */
    default Path requirePath(ExportFormat exportFormat) throws IOException {
        return switch (this) {
            case PathTarget(var path) -> path;
            case StreamTarget _ ->
                    throw new IOException(
                            "the format "
                                    + exportFormat.id()
                                    + " is more than one text: name a file or a folder with --to");
        };
    }
}
