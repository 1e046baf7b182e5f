package dev.orbweaver.internal.traps;

import dev.orbweaver.internal.frontier.AdmissionHook;
import dev.orbweaver.internal.scope.TrapUrlRule;
import dev.orbweaver.internal.traps.UrlPattern.Kind;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Detects crawler traps, which have unbounded URLs: calendars, session numbers, all combinations of
 * filters, wildcard host names.
 *
 * <p><b>The idea.</b> URLs are grouped by {@link UrlPattern} in a tree: the registrable domain, the
 * host name, the directories of the path, the path, the parameters of the query ({@link
 * UrlPatternPath}). Each parsed page changes the balance of all patterns of its URL: new content
 * adds to it, repeated content reduces it. A pattern whose balance has fallen by the budget is
 * exhausted. URLs in it are not requested when they are leased; they become dead letters with the
 * cause {@code trap}. So no decision is made before it is needed, and nothing is lost: {@code dead
 * retry} requeues them.
 *
 * <p><b>What counts as repeated.</b> A page can be charged only if it is <em>similar</em> to an
 * earlier one of its patterns: its text is nearly the same (SimHash), its title is the same except
 * for numbers, dates and the host's own name, and it has the same images. A similar page costs two
 * points if its only new links are to its own pattern. It costs one point if its text is identical
 * and it has no new links at all, like the error page of a site without 404. New links to other
 * patterns excuse it, unless those patterns have repeated themselves for long as well. The
 * permitted distance of texts depends on their length: a dozen different words are a number in a
 * long page and a news item in a short one.
 *
 * <p><b>Which patterns pay.</b> The path and the parameters pay in full. Directories above pay
 * less, so that filters which are directories are detected too. Host and domain pay a tenth. An
 * exhausted pattern does not affect a pattern below it with a positive balance.
 *
 * <p><b>Several workers.</b> A page counts once per URL, however often it is fetched. One whose
 * settlement was or may have been rejected changes nothing, and this worker does not score it when
 * it fetches it again. A page is not charged if it has a link for which this worker cannot know who
 * found it first ({@link #reportNew}): it may have been the first fetch of the same page. Balances
 * are kept in {@link TrapBalances}, so they do not depend on which worker fetched a page. A URL is
 * withheld only on balances that were read for this decision.
 *
 * <p>The state has a fixed size and depends only on the order of calls; there is no clock. All
 * methods are thread-safe. The frontier calls {@link #priorityPenalty} and {@link #reportNew} under
 * its lock, and they do not call back into it.
 */
public final class TrapDetector implements AdmissionHook {

    private static final Logger LOG = LoggerFactory.getLogger(TrapDetector.class);
    private static final int PATTERNS = 1 << 16;
    private static final int TEXTS = 1 << 15;

    /** Maximum number of pages that are recognized when they are fetched again. */
    private static final int PAGES = 1 << 14;

    /**
     * Maximum number of batches that wait while balances cannot be reached; further ones are
     * dropped.
     */
    private static final int UNSENT_MAX = 64;

    /** The unit of a budget: what the path pays for one point. */
    private static final int POINT = 10;

    private static final int POINT_OF_DIRECTORY = 4;
    private static final int POINT_OF_HOST = 1;

    /** Cost of a page whose only new links are to its own pattern. */
    private static final int SELF_LINKING_COST = 2;

    /** Cost of a page without new links and with the text of another one. */
    private static final int NO_NEW_LINKS_COST = 1;

    /** Additional cost of a page that is identical to another one except for its URL. */
    private static final int IDENTICAL_COST = 1;

    private static final int NOVELTY_REWARD = 3;

    /** After this many similar pages in a row, links to a pattern no longer excuse a page. */
    private static final int REPEATS_FROM = 10;

    private static final int DOUBTFUL_PENALTY = 50;
    private static final int EXHAUSTED_PENALTY = 100;

    /**
     * Limits, in bits, of the distance between texts that differ only in a number; see distanceMax.
     */
    private static final int DISTANCE_MIN = 3;

    private static final int DISTANCE_MAX = 16;
    private static final double OTHER_WORDS_BYTES = 72;

    private static final int NEAR_IDENTICAL = 3;

    /** Maximum number of patterns that are named in the log. */
    private static final int WARNINGS_MAX = 100;

    /** Words that count as numbers in a title. */
    private static final Set<String> DATES =
            Set.of(
                    ("January February March April May June July August September October November"
                                    + " December Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec"
                                    + " Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
                                    + " Mon Tue Wed Thu Fri Sat Sun")
                            .split(" ", -1));

    private final boolean enabled;
    private final int budget;
    private final UrlPatternTable table = new UrlPatternTable(PATTERNS);
    private final long[] textHashes = new long[TEXTS];
    private final UrlPatternPath urlPatternPath;
    private final Map<Long, PendingPage> pendingPages = new LinkedHashMap<>();
    private final LinkedHashSet<Fingerprint> recentPages = new LinkedHashSet<>();
    private final Deque<TrapBalances.Changes> unsent = new ArrayDeque<>();
    private volatile TrapBalances trapBalances = TrapBalances.LOCAL;

    /** Distinguishes the changes of this process from those of earlier ones. */
    private volatile String instanceId = "";

    private long batchCount;
    private int warnings;

    /** The first URL that was withheld since the start, empty if none was. */
    private volatile String firstWithheld = "";

    /** A page being settled, and what is known about its links so far. */
    private static final class PendingPage {
        final List<UrlPattern> urlPatterns = new ArrayList<>();
        final Fingerprint page;
        final UrlPattern path;
        final long simHash;
        final long layoutHash;
        final long linksHash;
        final int bytes;
        boolean selfLinking;
        boolean excused;

        PendingPage(UrlPattern path, Fingerprint url, Page page, long layoutHash, int bytes) {
            this.path = path;
            this.page = url;
            this.simHash = page.simHash();
            this.layoutHash = layoutHash;
            this.linksHash = linksHash(page);
            this.bytes = bytes;
        }
    }

    public TrapDetector(TrapSettings settings) {
        this.enabled = settings.enabled();
        this.budget = (int) Math.min((long) settings.budget() * POINT, Integer.MAX_VALUE / 4);
        this.urlPatternPath = new UrlPatternPath(table, budget);
    }

    public synchronized String serialize() {
        return UrlPatternFile.write(table.all());
    }

    public synchronized void restore(String state) {
        UrlPatternFile.read(state).forEach(urlPattern -> table.put(urlPattern, budget));
    }

    /** Shares balances with other workers on the same job; called before the first page. */
    public void share(TrapBalances shared) {
        instanceId = UUID.randomUUID().toString();
        trapBalances = shared;
    }

    /** Returns why a leased URL is not requested; empty if it may be. */
    public Optional<String> trapReason(CrawlUrl url, Hop hop) {
        if (!enabled || isExempt(hop)) {
            return Optional.empty();
        }
        var reason = TrapUrlRule.reason(url).or(() -> patternReason(url));
        if (reason.isPresent() && firstWithheld.isEmpty()) {
            firstWithheld = url.text();
        }
        return reason;
    }

    private Optional<String> patternReason(CrawlUrl url) {
        var suspects = suspectKeys(url);
        return !suspects.isEmpty() && refresh(suspects) ? exhaustedReason(url) : Optional.empty();
    }

    /** Returns a URL that was withheld since the start; empty if none was. */
    public Optional<String> exampleUrl() {
        return Optional.of(firstWithheld).filter(url -> !url.isEmpty());
    }

    /** Returns the keys of a URL's patterns if one of them appears exhausted, otherwise none. */
    private synchronized List<Long> suspectKeys(CrawlUrl url) {
        urlPatternPath.match(url, false);
        if (exhaustedPattern() == null) {
            return List.of();
        }
        var keys = new ArrayList<Long>();
        for (var i = 0; i < urlPatternPath.size(); i++) {
            var urlPattern = urlPatternPath.get(i);
            if (urlPattern != null) {
                keys.add(urlPattern.key);
            }
        }
        return keys;
    }

    /** Reads the balances of all workers; returns false if they cannot be read now. */
    private boolean refresh(List<Long> keys) {
        if (trapBalances.equals(TrapBalances.LOCAL)) {
            return true;
        }
        try {
            apply(keys, trapBalances.balances(keys));
            return true;
        } catch (IOException e) {
            LOG.debug("could not read trap balances; no URL is withheld", e);
            return false;
        }
    }

    private synchronized void apply(List<Long> keys, int[] balances) {
        for (var i = 0; i < balances.length; i++) {
            var urlPattern = table.find(keys.get(i));
            if (urlPattern != null) {
                urlPattern.balance = balances[i];
            }
        }
    }

    private synchronized Optional<String> exhaustedReason(CrawlUrl url) {
        urlPatternPath.match(url, false);
        var exhausted = exhaustedPattern();
        if (exhausted == null) {
            return Optional.empty();
        }
        if (exhausted.withheld == 0) {
            warn(exhausted, url);
        }
        exhausted.recordWithheld(url.text());
        return Optional.of(
                "%s: the pages of this URL pattern have no new content"
                        .formatted(describe(exhausted, url)));
    }

    /** Logs the first URL that a pattern withholds: a regular site can have such a pattern too. */
    private void warn(UrlPattern exhausted, CrawlUrl url) {
        if (warnings < WARNINGS_MAX) {
            warnings++;
            LOG.warn(
                    "gave up URLs like {} as a crawler trap after {} pages without new content; if"
                            + " they are regular pages, turn traps off",
                    url,
                    exhausted.visits);
        }
    }

    /**
     * Returns whether a hop is never withheld: seeds and sitemaps are requested explicitly, and
     * requisites are not pages.
     */
    private static boolean isExempt(Hop hop) {
        return hop.isSeed() || hop == Hop.SITEMAP || hop == Hop.EMBED;
    }

    private @Nullable UrlPattern exhaustedPattern() {
        for (var i = urlPatternPath.pathIndex() + 1; i < urlPatternPath.size(); i++) {
            var parameter = urlPatternPath.get(i);
            if (parameter != null && parameter.isExhausted(budget)) {
                return parameter;
            }
        }
        for (var i = urlPatternPath.pathIndex(); i >= 0; i--) {
            var urlPattern = urlPatternPath.get(i);
            if (urlPattern != null && urlPattern.isExhausted(budget)) {
                return urlPattern;
            }
            if (urlPattern != null && urlPattern.balance > 0) {
                return null;
            }
        }
        return null;
    }

    private static String describe(UrlPattern urlPattern, CrawlUrl example) {
        if (urlPattern.text.isEmpty()) {
            urlPattern.text = "like " + example.text();
        }
        return urlPattern.text;
    }

    @Override
    public synchronized int priorityPenalty(CrawlUrl url, Hop hop, long parent) {
        if (!enabled || isExempt(hop)) {
            return 0;
        }
        urlPatternPath.match(url, true);
        urlPatternPath.countUrl();
        var penalty = penalty(url);
        var pendingPage = pendingPages.get(parent);
        if (pendingPage != null) {
            recordLink(pendingPage, penalty);
        }
        return penalty;
    }

    @Override
    public synchronized void reportNew(CrawlUrl url, Hop hop, long parent, boolean isNew) {
        var pendingPage = pendingPages.get(parent);
        if (!enabled || isExempt(hop) || pendingPage == null) {
            return;
        }
        if (isNew) {
            urlPatternPath.match(url, true);
            recordLink(pendingPage, penalty(url));
        } else {
            pendingPage.excused = true; // Its own first fetch may have found this link.
        }
    }

    private int penalty(CrawlUrl url) {
        if (exhaustedPattern() != null || TrapUrlRule.reason(url).isPresent()) {
            return EXHAUSTED_PENALTY;
        }
        for (var i = urlPatternPath.size() - 1; i > 0; i--) {
            var urlPattern = urlPatternPath.get(i);
            if (urlPattern != null
                    && urlPattern.kind != Kind.HOST
                    && urlPattern.isDoubtful(budget)) {
                return DOUBTFUL_PENALTY;
            }
        }
        return 0;
    }

    /** Records a link of the pending page to the URL that was matched last. */
    private void recordLink(PendingPage pendingPage, int penalty) {
        @Nullable UrlPattern deepest = null;
        for (var i = 0; i < urlPatternPath.size(); i++) {
            var urlPattern = urlPatternPath.get(i);
            if (urlPattern == pendingPage.path) {
                pendingPage.selfLinking = true;
                return;
            }
            if (i <= urlPatternPath.pathIndex() && urlPattern != null && urlPattern.visits > 0) {
                deepest = urlPattern;
            }
        }
        pendingPage.excused |= penalty == 0 && (deepest == null || deepest.repeats < REPEATS_FROM);
    }

    /** Starts to collect the links of a page that is about to be settled. */
    public synchronized void beginPage(long number, Capture capture) {
        var page = capture.page();
        if (!enabled || page.simHash() == 0 || recentPages.contains(capture.url().key())) {
            return;
        }
        var layoutHash = layoutHash(capture);
        urlPatternPath.match(capture.url(), true);
        var path =
                Objects.requireNonNull(
                        urlPatternPath.get(urlPatternPath.pathIndex()), "created by match");
        var pendingPage =
                new PendingPage(path, capture.url().key(), page, layoutHash, bytes(capture));
        for (var i = 0; i < urlPatternPath.size(); i++) {
            var urlPattern = urlPatternPath.get(i);
            if (urlPattern != null) {
                pendingPage.urlPatterns.add(urlPattern);
            }
        }
        pendingPages.put(number, pendingPage);
    }

    /**
     * Scores the pending pages if {@code all} were settled for certain; otherwise discards them.
     */
    public void onSettled(boolean all) {
        var changes = scoreAll(all);
        if (!changes.keys().isEmpty()) {
            if (unsent.size() < UNSENT_MAX) {
                unsent.add(changes);
            }
            send();
        }
    }

    private synchronized TrapBalances.Changes scoreAll(boolean all) {
        var changes = TrapBalances.Changes.empty(instanceId + ":" + batchCount++, budget);
        for (var pendingPage : pendingPages.values()) {
            recentPages.add(pendingPage.page);
            if (all) {
                score(pendingPage, changes);
            }
        }
        pendingPages.clear();
        while (recentPages.size() > PAGES) {
            var _ = recentPages.removeFirst();
        }
        return changes;
    }

    /**
     * Sends changes. Only the committer does so, so they arrive in the order in which pages were
     * settled.
     */
    private void send() {
        try {
            while (!unsent.isEmpty()) {
                var changes = unsent.getFirst();
                apply(changes.keys(), trapBalances.apply(changes));
                unsent.removeFirst();
            }
        } catch (IOException e) {
            LOG.debug("could not send trap balances; retrying with the next batch", e);
        }
    }

    private void score(PendingPage pendingPage, TrapBalances.Changes changes) {
        var distance = distance(pendingPage);
        var similar = distance <= distanceMax(pendingPage.bytes);
        var cost = similar && !pendingPage.excused ? cost(pendingPage, distance) : 0;
        for (var urlPattern : pendingPage.urlPatterns) {
            urlPattern.visits++;
            urlPattern.repeats = similar ? urlPattern.repeats + 1 : 0;
            var by = similar ? -cost * point(urlPattern, pendingPage.path) : NOVELTY_REWARD * POINT;
            urlPattern.adjustBalance(by, budget);
            if (!trapBalances.equals(TrapBalances.LOCAL)) {
                changes.add(urlPattern.key, by);
            }
            if (urlPattern.kind != Kind.PARAMETER) {
                urlPattern.recordPage(pendingPage.simHash, pendingPage.layoutHash);
            }
        }
        textHashes[textSlot(pendingPage)] = textKey(pendingPage);
    }

    private static int cost(PendingPage pendingPage, int distance) {
        if (pendingPage.selfLinking) {
            return distance <= NEAR_IDENTICAL
                    ? SELF_LINKING_COST + IDENTICAL_COST
                    : SELF_LINKING_COST;
        }
        return distance == 0
                ? NO_NEW_LINKS_COST + IDENTICAL_COST
                : distance <= NEAR_IDENTICAL ? NO_NEW_LINKS_COST : 0;
    }

    private static int point(UrlPattern urlPattern, UrlPattern path) {
        return switch (urlPattern.kind) {
            case DOMAIN, HOST -> POINT_OF_HOST;
            case PATH -> urlPattern == path ? POINT : POINT_OF_DIRECTORY;
            case PARAMETER -> POINT;
        };
    }

    /**
     * Returns the distance to the nearest earlier page; 0 only for a page identical with all its
     * links, anywhere in the domain.
     */
    private int distance(PendingPage pendingPage) {
        if (textHashes[textSlot(pendingPage)] == textKey(pendingPage)) {
            return 0;
        }
        var nearest = UrlPattern.DISTANCE_MAX;
        for (var urlPattern : pendingPage.urlPatterns) {
            nearest =
                    Math.min(
                            nearest,
                            urlPattern.distance(pendingPage.simHash, pendingPage.layoutHash));
        }
        return Math.max(1, nearest);
    }

    private static long textKey(PendingPage pendingPage) {
        var domain = pendingPage.urlPatterns.getFirst().key;
        return UrlPatternPath.mix(
                domain
                        + pendingPage.simHash * 31
                        + UrlPatternPath.mix(pendingPage.layoutHash + pendingPage.linksHash));
    }

    private static int textSlot(PendingPage pendingPage) {
        return (int) (textKey(pendingPage) >>> 20) & (TEXTS - 1);
    }

    /**
     * Returns the maximum distance of similar texts. If k of n words differ, the cosine of the
     * angle between the vectors behind the SimHashes is 1 - k/n, and each of 64 bits differs with
     * the probability of that angle divided by π (Charikar 2002). A word takes about twelve bytes
     * of a page, its markup included, and six may differ. The nearest of several pages is nearer
     * than most.
     */
    private static int distanceMax(int bytes) {
        var cosine = 1 - Math.min(0.5, OTHER_WORDS_BYTES / Math.max(1, bytes));
        return Math.clamp(
                (int) (64 * StrictMath.acos(cosine) / Math.PI), DISTANCE_MIN, DISTANCE_MAX);
    }

    /** Returns the approximate size of a page; a compressed body is assumed to expand fourfold. */
    private static int bytes(Capture capture) {
        return capture.exchange()
                .map(
                        exchange -> {
                            var compressed = exchange.head().field("content-encoding").isPresent();
                            return Math.min(
                                    exchange.body().length() * (compressed ? 4 : 1), 1 << 30);
                        })
                .orElse(0L)
                .intValue();
    }

    /** Returns whether a word is a label of the host name and so adds nothing to the URL. */
    private static boolean isHostLabel(String host, String word) {
        var name = word.toLowerCase(Locale.ROOT);
        var at = name.isEmpty() ? -1 : host.indexOf(name);
        return at >= 0
                && (at == 0 || host.charAt(at - 1) == '.')
                && host.startsWith(".", at + name.length());
    }

    private static long linksHash(Page page) {
        var sum = 0L;
        for (var link : page.links()) {
            sum += UrlPatternPath.mix(link.url().key().high());
        }
        return sum;
    }

    /** Returns a hash of a page's title, without numbers, and of its images. */
    private long layoutHash(Capture capture) {
        var page = capture.page();
        var hash = 0L;
        for (var link : page.links()) {
            if (link.kind() == LinkKind.REQUISITE) {
                hash += UrlPatternPath.mix(link.url().key().high());
            }
        }
        for (var word : page.title().split(" ", -1)) {
            var distinctive = !DATES.contains(word) && !isHostLabel(capture.url().host(), word);
            hash = UrlPatternPath.mix(hash + (distinctive ? urlPatternPath.shapeHash(word) : 0));
        }
        return hash;
    }
}
