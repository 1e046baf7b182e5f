package dev.orbweaver.crawl;

import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.scope.Scope;
import dev.orbweaver.url.CrawlUrls;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** What all visits of a crawl go by: its scope, its settings, what robots.txt files say. */
final class Etiquette {

    private final CrawlSettings settings;
    private final CrawlUrls urls;
    private final RobotsBook robots;
    private final Novelty novelty;
    private final AtomicReference<Scope> scope;

    Etiquette(CrawlSettings settings, CrawlUrls urls, Scope scope) {
        this.settings = settings;
        this.urls = urls;
        this.robots = new RobotsBook(urls);
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
    Optional<String> forbids(CrawlUrl url) {
        return scope.get().forbids(url);
    }

    Novelty novelty() {
        return novelty;
    }

    /** Widens the scope by a place that a seed was redirected to. */
    void addSeed(CrawlUrl seed) {
        scope.updateAndGet(current -> current.withSeed(seed));
    }

    /** A visit's end is a fact: the delay that a robots.txt asked for is kept from here on. */
    void committed(Step.End end) {
        if (end instanceof Step.GiveBack back && back.delay().isPresent()) {
            robots.inForce(back.lease().url());
        }
    }

    /** Why a URL is not taken, or nothing when it is. */
    Optional<Refusal> objection(CrawlUrl url, Hop hop, int depth, Instant now) {
        var verdict = scope.get().judge(url, hop, depth);
        return verdict.refusal().or(() -> robotsObjection(url, now));
    }

    private Optional<Refusal> robotsObjection(CrawlUrl url, Instant now) {
        if (!settings.obeyRobots()) {
            return Optional.empty();
        }
        return robots.known(url, now)
                .filter(rules -> !rules.judge(url.pathAndQuery()).allowed())
                .map(_ -> Refusal.ROBOTS);
    }

    /** A page's links, sorted into those to offer and those turned away. */
    Sorted sort(Page page, int depth, Instant now) {
        var sorted = new Sorted(new ArrayList<>(), new EnumMap<>(Refusal.class));
        for (var link : page.links()) {
            var candidate = candidate(link, depth);
            var objection =
                    page.nofollow()
                            ? Optional.of(Refusal.NOFOLLOW)
                            : objection(candidate.url(), candidate.hop(), candidate.depth(), now);
            objection.ifPresentOrElse(
                    why -> sorted.refused.merge(why, 1, Integer::sum),
                    () -> sorted.found.add(candidate));
        }
        return sorted;
    }

    private static Candidate candidate(Link link, int depth) {
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
