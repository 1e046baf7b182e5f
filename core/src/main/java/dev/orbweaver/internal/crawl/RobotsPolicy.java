package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.robots.RobotsRules;

/** Which robots.txt rules a crawl applies. */
public sealed interface RobotsPolicy {

    /** Each host's own robots.txt. */
    record Obey() implements RobotsPolicy {}

    /** None. */
    record Ignore() implements RobotsPolicy {}

    /**
     * One file for all hosts. Their own robots.txt files are not fetched.
     *
     * @param file its name, as written to the archive
     * @param digest of its bytes, as {@code sha256:} and hexadecimal digits
     */
    record Custom(RobotsRules rules, String file, String digest) implements RobotsPolicy {}

    /** Returns the description that is written to the archive. */
    default String description() {
        return switch (this) {
            case Obey _ -> "obey";
            case Ignore _ -> "ignore";
            case Custom(_, var file, var digest) -> "custom " + file + " " + digest;
        };
    }
}
