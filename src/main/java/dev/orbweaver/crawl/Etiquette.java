package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.robots.Directive;
import dev.orbweaver.robots.RobotsEffort;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.scope.Scope;
import dev.orbweaver.url.CrawlUrls;

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
final class Etiquette {

    /** How many bytes may be compared to judge the links of one page by robots.txt files. */
    private static final long PAGE_ROBOTS_STEPS_MAX = 64L << 20;

    private final CrawlSettings settings;
    private final CrawlUrls urls;
    private final RobotsBook robots;
    private final Novelty novelty;
    private final AtomicReference<Scope> scope;

    Etiquette(CrawlSettings settings, CrawlUrls urls, Scope scope) {
        this(settings, urls, scope, RobotsStore.NOTHING);
    }

    Etiquette(CrawlSettings settings, CrawlUrls urls, Scope scope, RobotsStore store) {
        this.settings = settings;
        this.urls = urls;
        this.robots = new RobotsBook(urls, settings.productToken(), store);
        this.novelty = new Novelty(settings.traps());
        this.scope = new AtomicReference<>(scope);
    }

    CrawlSettings settings() {
        return settings;
    }

    CrawlUrls urls() {
        return urls;
    }

    RobotsBook robots() {
        return robots;
    }

    /** Why an answer's body is not to be read, or nothing when it is. */
    Optional<String> objection(ResponseHead head, Hop hop) {
        var verdict = scope.get().judge(head, hop);
        return verdict.accepted() ? Optional.empty() : Optional.of(verdict.rule());
    }

    /** Why a URL whose turn has come must not be asked for, or nothing when it may. */
    Optional<String> forbids(Lease lease) {
        return scope.get().forbids(lease.url(), lease.hop(), lease.depth());
    }

    Novelty novelty() {
        return novelty;
    }

    /** Widens the scope by a place that a seed was redirected to. */
    void addSeed(CrawlUrl seed) {
        scope.updateAndGet(current -> current.withSeed(seed));
    }

    /**
     * A visit's end is a fact: what it learnt of a robots.txt counts from here on, for others and
     * for the processes to come.
     */
    void committed(Step.End end) {
        if (end instanceof Step.GiveBack(var lease, var why, var delay, _, _)
                && (why instanceof Pause.RobotsFetched || why instanceof Pause.RobotsUnreachable)) {
            if (delay.isPresent()) {
                robots.inForce(lease.url());
            }
            robots.committed(lease.url());
        }
    }

    /** Why a URL is not taken, or nothing when it is. */
    Optional<Refusal> objection(CrawlUrl url, Hop hop, int depth, Instant now) {
        return objection(url, hop, depth, now, new RobotsEffort());
    }

    private Optional<Refusal> objection(
            CrawlUrl url, Hop hop, int depth, Instant now, RobotsEffort effort) {
        var verdict = scope.get().judge(url, hop, depth);
        return verdict.refusal().or(() -> robotsObjection(url, now, effort));
    }

    /**
     * Every URL is judged again when its turn comes, so the links of a page that would cost too
     * much to judge all at once are taken unjudged.
     */
    private Optional<Refusal> robotsObjection(CrawlUrl url, Instant now, RobotsEffort effort) {
        if (effort.steps() > PAGE_ROBOTS_STEPS_MAX) {
            return Optional.empty();
        }
        return rules(url, now)
                .filter(rules -> !rules.judge(url.pathAndQuery(), effort).allowed())
                .map(_ -> Refusal.ROBOTS);
    }

    /** The rules that a URL is judged by, as far as they are known without asking. */
    private Optional<RobotsRules> rules(CrawlUrl url, Instant now) {
        return switch (settings.robots()) {
            case RobotsPolicy.Obey _ -> robots.known(url, now);
            case RobotsPolicy.Ignore _ -> Optional.empty();
            case RobotsPolicy.Custom(var rules, _, _) -> Optional.of(rules);
        };
    }

    /** A page's links, sorted into those to offer and those turned away. */
    Sorted sort(Page page, int depth, Instant now) {
        var sorted = new Sorted(new ArrayList<>(), new EnumMap<>(Refusal.class));
        var effort = new RobotsEffort();
        for (var link : page.links()) {
            var candidate = candidate(link, depth);
            var objection =
                    page.nofollow() || (link.nofollow() && settings.wishes().obeyRel())
                            ? Optional.of(Refusal.NOFOLLOW)
                            : objection(
                                    candidate.url(),
                                    candidate.hop(),
                                    candidate.depth(),
                                    now,
                                    effort);
            objection.ifPresentOrElse(
                    why -> sorted.refused.merge(why, 1, Integer::sum),
                    () -> sorted.found.add(candidate));
        }
        return sorted;
    }

    /**
     * What the owner of a page asks not to be done with it: what the page and its head ask, and
     * what robots.txt says of its use.
     */
    Set<Directive> wishes(CrawlUrl url, Page page, Instant now) {
        var wishes = EnumSet.noneOf(Directive.class);
        wishes.addAll(Directive.in(page.directives()));
        rules(url, now).ifPresent(it -> wishes.addAll(it.usage(url.pathAndQuery()).denied()));
        return wishes;
    }

    static Candidate candidate(Link link, int depth) {
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
        return sort(new Page("", "", links, false, false), 0, now).found;
    }

    /** Links that were found, and how many were turned away for what reason. */
    record Sorted(List<Candidate> found, Map<Refusal, Integer> refused) {}
}
