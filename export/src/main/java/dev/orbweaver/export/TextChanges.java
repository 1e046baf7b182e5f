package dev.orbweaver.export;

import java.io.IOException;

/** One line per change, followed by the difference of the main text. */
record TextChanges(AtomicTextFile out) implements ChangeWriter {

    @Override
    public void write(PageChange change) throws IOException {
        out.write("%-7s  %s\n".formatted(change.kind(), change.page().url()));
        if (!(change instanceof PageChange.Changed changed)) {
            return;
        }
        if (!changed.readable()) {
            out.write("  bytes differ; text could not be processed, see the log\n");
        } else if (changed.lines().isEmpty()) {
            out.write("  bytes differ, text is equal\n");
        }
        for (var line : changed.lines()) {
            out.write("  " + line + "\n");
        }
    }
}
