package dev.orbweaver.export;

import dev.orbweaver.internal.config.InvalidArgumentException;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

public sealed interface ExportTarget {

    record PathTarget(Path path) implements ExportTarget {

        /** A file; if the path is a directory, the file of this name in it. */
        Path file(String name) {
            return Files.isDirectory(path) ? path.resolve(name) : path;
        }
    }

    /** A stream, which the export does not close. */
    record StreamTarget(OutputStream out) implements ExportTarget {}

    default AtomicTextFile openText(String name) throws IOException {
        return switch (this) {
            case PathTarget pathTarget -> AtomicTextFile.create(pathTarget.file(name));
            case StreamTarget(var out) -> AtomicTextFile.toStream(out);
        };
    }

    /** Opens the target; a file in a directory gets the format's default name. */
    default AtomicTextFile openText(ExportFormat exportFormat) throws IOException {
        return openText(exportFormat.fileName());
    }

    /** Returns the path of the target, for exports that need one. */
    default Path requirePath(ExportFormat exportFormat) throws IOException {
        return switch (this) {
            case PathTarget(var path) -> path;
            case StreamTarget _ ->
                    throw new InvalidArgumentException(
                            "format "
                                    + exportFormat.id()
                                    + " cannot be written to standard output; set --to to a file or"
                                    + " directory");
        };
    }
}
