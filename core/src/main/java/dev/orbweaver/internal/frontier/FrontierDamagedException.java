package dev.orbweaver.internal.frontier;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file of a frontier is damaged. The message is one sentence that names the file and what to do.
 */
public final class FrontierDamagedException extends IOException {

    private static final long serialVersionUID = 1;

    private final String problem;

    /**
     * Reports damage to a file in a frontier's directory, which is inside the crawl's directory.
     *
     * @param what what is wrong with the file, as the predicate of a sentence
     */
    public FrontierDamagedException(Path file, String what) {
        this(file, what, parent(parent(file)));
    }

    private FrontierDamagedException(Path file, String what, Path crawl) {
        super(
                "%s %s: rebuild it with the command 'orbweaver repair %s', or restore the directory from a backup"
                        .formatted(file, what, crawl));
        this.problem = file + " " + what;
    }

    /** Reports damage to a file in the crawl's own directory. */
    public static FrontierDamagedException inCrawl(Path file, String what) {
        return new FrontierDamagedException(file, what, parent(file));
    }

    private static Path parent(Path file) {
        var parent = file.getParent();
        return parent == null ? Path.of(".") : parent;
    }

    /** Returns the message without the advice. */
    public String problem() {
        return problem;
    }
}
