package dev.orbweaver.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where an export goes. */
public sealed interface Target {

    /** A file or a folder. */
    record Place(Path path) implements Target {

        /** The file itself, or one of this name where the place is a folder. */
        Path file(String name) {
            return Files.isDirectory(path) ? path.resolve(name) : path;
        }
    }

    /** Whoever reads along, such as the next command of a pipe; never closed here. */
    record Stream(OutputStream out) implements Target {}

    /** The one text file that an export makes. */
    default TextFile text(String name) throws IOException {
        return switch (this) {
            case Place place -> TextFile.create(place.file(name));
            case Stream(var out) -> TextFile.over(out);
        };
    }

    /** The one text file of a format, under its usual name where the place is a folder. */
    default TextFile text(Format format) throws IOException {
        return text(format.file());
    }

    /** The place, for exports that need one. */
    default Path place(Format format) throws IOException {
        return switch (this) {
            case Place(var path) -> path;
            case Stream _ ->
                    throw new IOException(
                            "the format "
                                    + format.word()
                                    + " is more than one text: name a file or a folder with --to");
        };
    }
}
