package dev.orbweaver.frontier;

import java.io.IOException;
import java.nio.file.Path;

/** A file of a frontier is damaged. The message is one sentence with the file and the advice. */
public final class FrontierDamagedException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * Damage to a file in a frontier's directory.
     *
     * @param what what is wrong with the file, as the predicate of a sentence
     */
    public FrontierDamagedException(Path file, String what) {
        super(
                "%s %s: run `orbweaver repair %s`, or restore the directory from a backup"
                        .formatted(file, what, crawlDirectory(file)));
    }

    /** The crawl directory is the one that holds {@code frontier/}. */
    private static Path crawlDirectory(Path file) {
        var frontier = file.getParent();
        var crawl = frontier == null ? null : frontier.getParent();
        return crawl == null ? Path.of(".") : crawl;
    }
}
