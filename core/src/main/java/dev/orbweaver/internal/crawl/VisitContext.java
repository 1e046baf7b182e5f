package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.robots.Directive;
import dev.orbweaver.internal.robots.RobotsMatchCost;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.traps.TrapDetector;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Scope;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** State shared by all visits of a crawl: scope, settings, robots.txt cache and trap detector. */
public final class VisitContext {

    /** Maximum number of bytes compared to check the links of one page against robots.txt. */
    private static final long PAGE_ROBOTS_STEPS_MAX = 64L << 20;

    private final CrawlSettings settings;
    private final CrawlUrls urls;
    private final RobotsCache robotsCache;
    private final TrapDetector trapDetector;
    private final AtomicReference<Scope> scope;

    VisitContext(CrawlSettings settings, CrawlUrls urls, Scope scope) {
        this(settings, urls, scope, RobotsStore.NO_STORE);
    }

    VisitContext(CrawlSettings settings, CrawlUrls urls, Scope scope, RobotsStore store) {
        this.settings = settings;
        this.urls = urls;
        this.robotsCache = new RobotsCache(urls, settings.productToken(), store);
        this.trapDetector = new TrapDetector(settings.traps());
        this.scope = new AtomicReference<>(scope);
    }

    CrawlSettings settings() {
        return settings;
    }

    CrawlUrls urls() {
        return urls;
    }

    RobotsCache robots() {
        return robotsCache;
    }

    /** Returns why the body of a response is not read; empty if it is. */
    Optional<String> refusal(ResponseHead head, Hop hop) {
        var verdict = scope.get().evaluate(head, hop);
        return verdict.isAccepted() ? Optional.empty() : Optional.of(verdict.rule());
    }

    /** Returns why a leased URL must not be requested; empty if it may be. */
    Optional<String> forbiddenReason(Lease lease) {
        return scope.get().refusalReason(lease.url(), lease.hop(), lease.depth());
    }

    TrapDetector trapDetector() {
        return trapDetector;
    }

    /** Extends the scope by the target of a redirected seed. */
    void addSeed(CrawlUrl seed) {
        scope.updateAndGet(current -> current.withSeed(seed));
    }

    /**
     * Called after a visit is committed: activates and persists the robots.txt entry that it
     * fetched.
     */
    void onCommitted(Step.End end) {
        if (end instanceof Step.Release(var lease, var reason, var delay, _, _)
                && (reason instanceof ReleaseReason.RobotsFetched
                        || reason instanceof ReleaseReason.RobotsUnreachable)) {
            if (delay.isPresent()) {
                robotsCache.activateRules(lease.url());
            }
            robotsCache.persist(lease.url());
        }
    }

    /** Returns why a URL is not accepted; empty if it is. */
    Optional<Refusal> refusal(CrawlUrl url, Hop hop, int depth, Instant now) {
        return refusal(url, hop, depth, new PageRobots(now));
    }

    private Optional<Refusal> refusal(CrawlUrl url, Hop hop, int depth, PageRobots robots) {
        var refusal = scope.get().evaluate(url, hop, depth).refusal();
        return refusal.isPresent() ? refusal : robots.refusal(url);
    }

    /**
     * Checks the links of a page against known robots.txt rules. Most links of a page have the same
     * origin, so the rules of the last origin are kept: the cache has a lock that all visits share.
     */
    private final class PageRobots {

        private final Instant now;
        private final RobotsMatchCost cost = new RobotsMatchCost();
        private String prefix = "";
        private Optional<RobotsRules> rules = Optional.empty();

        private PageRobots(Instant now) {
            this.now = now;
        }

        /**
         * Returns why a URL is not accepted. Every URL is checked again before it is fetched, so
         * the remaining links of a page whose check would cost too much are accepted unchecked.
         */
        private Optional<Refusal> refusal(CrawlUrl url) {
            if (cost.steps() > PAGE_ROBOTS_STEPS_MAX) {
                return Optional.empty();
            }
            if (prefix.isEmpty() || !url.text().startsWith(prefix)) {
                prefix = url.origin() + "/";
                rules = knownRules(url, now);
            }
            return rules.isEmpty() || rules.get().evaluate(url.pathAndQuery(), cost).allowed()
                    ? Optional.empty()
                    : Optional.of(Refusal.ROBOTS);
        }
    }

    /** Returns the rules for a URL, as far as they are known without a request. */
    private Optional<RobotsRules> knownRules(CrawlUrl url, Instant now) {
        return switch (settings.robots()) {
            case RobotsPolicy.Obey _ -> robotsCache.cachedRules(url, now);
            case RobotsPolicy.Ignore _ -> Optional.empty();
            case RobotsPolicy.Custom(var rules, _, _) -> Optional.of(rules);
        };
    }

    /** Classifies a page's links into those to offer and those rejected. */
    ClassifiedLinks classifyLinks(Page page, int depth, Instant now) {
        var classifiedLinks = new ClassifiedLinks(new ArrayList<>(), new EnumMap<>(Refusal.class));
        var robots = new PageRobots(now);
        for (var link : page.links()) {
            var candidate = candidate(link, depth);
            var refusal =
                    page.nofollow()
                                    || (link.nofollow()
                                            && settings.directivePolicy().obeyRelNofollow())
                            ? Optional.of(Refusal.NOFOLLOW)
                            : refusal(candidate.url(), candidate.hop(), candidate.depth(), robots);
            refusal.ifPresentOrElse(
                    reason -> classifiedLinks.refused.merge(reason, 1, Integer::sum),
                    () -> classifiedLinks.found.add(candidate));
        }
        return classifiedLinks;
    }

    /**
     * Returns the usage restrictions of a page: directives of the document, of its response head,
     * and of robots.txt.
     */
    Set<Directive> directives(CrawlUrl url, Page page, Instant now) {
        var directives = EnumSet.noneOf(Directive.class);
        directives.addAll(Directive.parse(page.directives()));
        knownRules(url, now)
                .ifPresent(rules -> directives.addAll(rules.usage(url.pathAndQuery()).denied()));
        return directives;
    }

    public static Candidate candidate(Link link, int depth) {
        return switch (link.kind()) {
            case REQUISITE -> new Candidate(link.url(), Hop.EMBED, depth + 1, 0, link.points(), 0);
            case SITEMAP -> new Candidate(link.url(), Hop.SITEMAP, depth, 0, link.points(), 0);
            case ANCHOR, FRAME, REFRESH, FORM, CANONICAL, ALTERNATE, RELATED, ENTRY ->
                    new Candidate(link.url(), Hop.LINK, depth + 1, 0, link.points(), 0);
        };
    }

    /** Returns the sitemaps listed in a robots.txt that are in scope. */
    List<Candidate> sitemaps(List<String> named, CrawlUrl robotsUrl, Instant now) {
        if (!settings.sitemaps()) {
            return List.of();
        }
        var links =
                named.stream()
                        .flatMap(text -> urls.resolve(robotsUrl, text).stream())
                        .map(url -> new Link(url, LinkKind.SITEMAP, false))
                        .toList();
        return classifyLinks(new Page("", "", links, false, false), 0, now).found;
    }

    /** Links to offer, and the number of rejected ones by reason. */
    record ClassifiedLinks(List<Candidate> found, Map<Refusal, Integer> refused) {}
}
