package dev.orbweaver.testkit;

import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * How a crawl is meant to go, as far as the truth depends on it.
 *
 * @param scope which host names belong to the crawl
 * @param skippedExtensions file extensions, without dot and in lower case, whose links are not
 *     followed
 * @param obeyNofollowMeta whether a page's own nofollow holds for all its links
 * @param followNofollowLinks whether a link that says nofollow of itself is followed
 */
public record CrawlAssumptions(
        Predicate<String> scope,
        Set<String> skippedExtensions,
        boolean obeyRobots,
        boolean readSitemaps,
        boolean obeyNofollowMeta,
        boolean followNofollowLinks) {

    /** Every host. */
    public static final Predicate<String> ANY = host -> true;

    /** Keeps the extensions unchangeable. */
    public CrawlAssumptions {
        skippedExtensions = Set.copyOf(skippedExtensions);
    }

    /** A polite crawl that otherwise takes what it finds. */
    public static CrawlAssumptions polite(Predicate<String> scope, Set<String> skippedExtensions) {
        return new CrawlAssumptions(scope, skippedExtensions, true, true, true, true);
    }

    boolean isSkipped(String pathAndQuery) {
        var query = pathAndQuery.indexOf('?');
        var path = query < 0 ? pathAndQuery : pathAndQuery.substring(0, query);
        var dot = path.lastIndexOf('.');
        return dot > path.lastIndexOf('/')
                && skippedExtensions.contains(path.substring(dot + 1).toLowerCase(Locale.ROOT));
    }
}
