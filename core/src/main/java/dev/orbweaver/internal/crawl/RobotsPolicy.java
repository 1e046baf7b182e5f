package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.robots.RobotsRules;

/** Whose robots.txt a crawl goes by. */
public sealed interface RobotsPolicy {

    /** Each host's own. */
    record Obey() implements RobotsPolicy {}

    /** Nobody's. */
    record Ignore() implements RobotsPolicy {}

    /**
     * One file for every host, in place of theirs, which are not asked for.
     *
     * @param file its name, as it is told to whoever reads the archive
     * @param digest of its bytes, as {@code sha256:} and hexadecimal digits
     */
    record Custom(RobotsRules rules, String file, String digest) implements RobotsPolicy {}

    /** What an archive says of it. */
    default String description() {
        return switch (this) {
            case Obey _ -> "obey";
            case Ignore _ -> "ignore";
            case Custom(_, var file, var digest) -> "custom " + file + " " + digest;
        };
    }
}
