package dev.orbweaver.testkit;

import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The crawl settings on which the ground truth depends.
 *
 * @param scope whether a host name is in scope
 * @param skippedExtensions file extensions of links that are not followed, without dot, lower case
 * @param obeyNofollowMeta whether a page's robots meta nofollow applies to all its links
 * @param followNofollowLinks whether links with rel=nofollow are followed
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
