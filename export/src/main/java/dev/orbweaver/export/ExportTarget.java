package dev.orbweaver.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where an export goes. */
public sealed interface ExportTarget {

    /** A file or a folder. */
    record PathTarget(Path path) implements ExportTarget {

        /** The file itself, or one of this name where the place is a folder. */
        Path file(String name) {
            return Files.isDirectory(path) ? path.resolve(name) : path;
        }
    }

    /** Whoever reads along, such as the next command of a pipe; never closed here. */
    record StreamTarget(OutputStream out) implements ExportTarget {}

    /** The one text file that an export makes. */
    default AtomicTextFile openText(String name) throws IOException {
        return switch (this) {
            case PathTarget pathTarget -> AtomicTextFile.create(pathTarget.file(name));
            case StreamTarget(var out) -> AtomicTextFile.toStream(out);
        };
    }

    /** The one text file of a format, under its usual name where the place is a folder. */
    default AtomicTextFile openText(ExportFormat exportFormat) throws IOException {
        return openText(exportFormat.fileName());
    }

    /** The place, for exports that need one. */
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
