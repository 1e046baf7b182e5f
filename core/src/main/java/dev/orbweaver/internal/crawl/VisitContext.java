package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.robots.Directive;
import dev.orbweaver.internal.robots.RobotsMatchCost;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.scope.Scope;
import dev.orbweaver.internal.traps.TrapDetector;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** What all visits of a crawl go by: its scope, its settings, what robots.txt files say. */
public final class VisitContext {

    /** How many bytes may be compared to judge the links of one page by robots.txt files. */
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

    /** Why an answer's body is not to be read, or nothing when it is. */
    Optional<String> refusal(ResponseHead head, Hop hop) {
        var verdict = scope.get().evaluate(head, hop);
        return verdict.isAccepted() ? Optional.empty() : Optional.of(verdict.rule());
    }

    /** Why a URL whose turn has come must not be asked for, or nothing when it may. */
    Optional<String> forbiddenReason(Lease lease) {
        return scope.get().refusalReason(lease.url(), lease.hop(), lease.depth());
    }

    TrapDetector trapDetector() {
        return trapDetector;
    }

    /** Widens the scope by a place that a seed was redirected to. */
    void addSeed(CrawlUrl seed) {
        scope.updateAndGet(current -> current.withSeed(seed));
    }

    /**
     * A visit's end is a fact: what it learnt of a robots.txt counts from here on, for others and
     * for the processes to come.
     */
    void onCommitted(Step.End end) {
        if (end instanceof Step.Release(var lease, var why, var delay, _, _)
                && (why instanceof ReleaseReason.RobotsFetched
                        || why instanceof ReleaseReason.RobotsUnreachable)) {
            if (delay.isPresent()) {
                robotsCache.activateRules(lease.url());
            }
            robotsCache.persist(lease.url());
        }
    }

    /** Why a URL is not taken, or nothing when it is. */
    Optional<Refusal> refusal(CrawlUrl url, Hop hop, int depth, Instant now) {
        return refusal(url, hop, depth, now, new RobotsMatchCost());
    }

    private Optional<Refusal> refusal(
            CrawlUrl url, Hop hop, int depth, Instant now, RobotsMatchCost effort) {
        var verdict = scope.get().evaluate(url, hop, depth);
        return verdict.refusal().or(() -> robotsRefusal(url, now, effort));
    }

    /**
     * Every URL is judged again when its turn comes, so the links of a page that would cost too
     * much to judge all at once are taken unjudged.
     */
    private Optional<Refusal> robotsRefusal(CrawlUrl url, Instant now, RobotsMatchCost effort) {
        if (effort.steps() > PAGE_ROBOTS_STEPS_MAX) {
            return Optional.empty();
        }
        return knownRules(url, now)
                .filter(rules -> !rules.evaluate(url.pathAndQuery(), effort).allowed())
                .map(_ -> Refusal.ROBOTS);
    }

    /** The rules that a URL is judged by, as far as they are known without asking. */
    private Optional<RobotsRules> knownRules(CrawlUrl url, Instant now) {
        return switch (settings.robots()) {
            case RobotsPolicy.Obey _ -> robotsCache.cachedRules(url, now);
            case RobotsPolicy.Ignore _ -> Optional.empty();
            case RobotsPolicy.Custom(var rules, _, _) -> Optional.of(rules);
        };
    }

    /** A page's links, sorted into those to offer and those turned away. */
    ClassifiedLinks classifyLinks(Page page, int depth, Instant now) {
        var classifiedLinks = new ClassifiedLinks(new ArrayList<>(), new EnumMap<>(Refusal.class));
        var effort = new RobotsMatchCost();
        for (var link : page.links()) {
            var candidate = candidate(link, depth);
            var objection =
                    page.nofollow()
                                    || (link.nofollow()
                                            && settings.directivePolicy().obeyRelNofollow())
                            ? Optional.of(Refusal.NOFOLLOW)
                            : refusal(
                                    candidate.url(),
                                    candidate.hop(),
                                    candidate.depth(),
                                    now,
                                    effort);
            objection.ifPresentOrElse(
                    why -> classifiedLinks.refused.merge(why, 1, Integer::sum),
                    () -> classifiedLinks.found.add(candidate));
        }
        return classifiedLinks;
    }

    /**
     * What the owner of a page asks not to be done with it: what the page and its head ask, and
     * what robots.txt says of its use.
     */
    Set<Directive> directives(CrawlUrl url, Page page, Instant now) {
        var wishes = EnumSet.noneOf(Directive.class);
        wishes.addAll(Directive.parse(page.directives()));
        knownRules(url, now).ifPresent(it -> wishes.addAll(it.usage(url.pathAndQuery()).denied()));
        return wishes;
    }

    public static Candidate candidate(Link link, int depth) {
        return switch (link.kind()) {
            case REQUISITE -> new Candidate(link.url(), Hop.EMBED, depth + 1, 0);
            case SITEMAP -> new Candidate(link.url(), Hop.SITEMAP, depth, 0);
            case ANCHOR, FRAME, REFRESH, FORM, CANONICAL, ALTERNATE, RELATED, ENTRY ->
                    new Candidate(link.url(), Hop.LINK, depth + 1, 0);
        };
    }

    /** The sitemaps that a robots.txt names, as far as they belong to the crawl. */
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

    /** Links that were found, and how many were turned away for what reason. */
    record ClassifiedLinks(List<Candidate> found, Map<Refusal, Integer> refused) {}
}
