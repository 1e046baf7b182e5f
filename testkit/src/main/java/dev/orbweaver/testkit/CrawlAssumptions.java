package dev.orbweaver.testkit;

import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The rules of a crawl on which the ground truth depends.
 *
 * @param scope which host names belong to the crawl
 * @param skippedExtensions of links that are not followed, without dot and in lower case
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

    public static final Predicate<String> ANY = host -> true;

    public CrawlAssumptions {
        skippedExtensions = Set.copyOf(skippedExtensions);
    }

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
