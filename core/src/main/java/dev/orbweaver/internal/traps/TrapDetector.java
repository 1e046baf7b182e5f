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
 * Keeps a crawl out of places that go on for ever: calendars, session numbers, filters in every
 * combination, names below a host that all exist.
 *
 * <p><b>The idea.</b> URLs are grouped by {@link UrlPattern}, in a tree: the registrable domain,
 * the host name, the folders of the path, the path, the parameters of the query ({@link
 * UrlPatternPath}). A page that is read is credited to all patterns of its URL when it brings
 * something, and charged to them when it does not. A pattern that has lost its budget is spent, and
 * URLs in it are given up when their turn comes: not requested, kept as dead letters with the cause
 * {@code trap}. So nothing is decided about a URL before it must be, and nothing is lost: {@code
 * dead retry} takes them back.
 *
 * <p><b>What a page brings.</b> It is charged only if it is <em>like</em> an earlier one nearby:
 * its text is nearly the same (SimHash), its title is the same but for numbers, dates and the
 * host's own name in it, and it shows the same pictures. And even then only if it leads to nothing
 * but more of its own kind that nobody had seen, at two points; or if its text is the very same and
 * it leads to nothing new at all (the answer of a site that has no 404), at one. What it leads to
 * in another pattern excuses it, unless that one has been dull for long as well. How near a text
 * must be depends on how much there is: a dozen other words are a number in a long page, and a news
 * item in a short one.
 *
 * <p><b>Who pays.</b> The path and the parameters pay in full; folders above pay less, so that
 * filters which are folders are found out too; host and domain pay a tenth. A pattern above that is
 * spent does not touch one below that pays its way.
 *
 * <p><b>Several workers.</b> A page counts once per URL, however often it is fetched: one whose
 * settlement was refused, or may have been, changes nothing, and this worker does not judge it when
 * it fetches it again. A page is not charged when it has a link of which this worker cannot tell
 * who found it first ({@link #reportNew}): the first fetch of the same page may have been it.
 * Balances are kept in {@link TrapBalances}, so they do not depend on which worker fetched a page,
 * and a URL is given up only by balances that were read for this decision.
 *
 * <p>The state has a fixed size and depends on nothing but the order of calls; there is no clock.
 * All methods may be called from any thread; {@link #priorityPenalty} and {@link #reportNew} are
 * called by the frontier under its lock and call nothing of it.
 */
public final class TrapDetector implements AdmissionHook {

    private static final Logger LOG = LoggerFactory.getLogger(TrapDetector.class);
    private static final int PATTERNS = 1 << 16;
    private static final int TEXTS = 1 << 15;

    /** How many pages are recognised when they are fetched again. */
    private static final int PAGES = 1 << 14;

    /** How many batches of changes wait for balances that cannot be reached; more are dropped. */
    private static final int UNSENT_MAX = 64;

    /** The unit of a budget: what the path pays for one point. */
    private static final int POINT = 10;

    private static final int POINT_OF_DIRECTORY = 4;
    private static final int POINT_OF_HOST = 1;

    /** Leads to nothing but more of its kind. */
    private static final int SELF_LINKING_COST = 2;

    /** Leads nowhere new, with the text of another. */
    private static final int NO_NEW_LINKS_COST = 1;

    /** Is another in every respect but its URL: one of these for each of the above. */
    private static final int IDENTICAL_COST = 1;

    private static final int NOVELTY_REWARD = 3;

    /** After this many similar pages in a row, links into a pattern excuse no page. */
    private static final int REPEATS_FROM = 10;

    private static final int DOUBTFUL_PENALTY = 50;
    private static final int EXHAUSTED_PENALTY = 100;

    /** Up to how many bits texts differ that are the same but for a number, by size in bytes. */
    private static final int DISTANCE_MIN = 3;

    private static final int DISTANCE_MAX = 16;
    private static final double OTHER_WORDS_BYTES = 72;

    private static final int NEAR_IDENTICAL = 3;

    /** In a title these are numbers too. */
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

    /** Distinguishes this process's changes from those of earlier ones. */
    private volatile String instanceId = "";

    private long batchCount;

    /** A page that is being settled, and what came of its links so far. */
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

        PendingPage(UrlPattern path, Fingerprint url, Page page, long look, int bytes) {
            this.path = path;
            this.page = url;
            this.simHash = page.simHash();
            this.layoutHash = look;
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

    public synchronized void restore(String learned) {
        UrlPatternFile.read(learned).forEach(urlPattern -> table.put(urlPattern, budget));
    }

    /** Keeps balances with other workers on the same job; called before the first page. */
    public void share(TrapBalances shared) {
        instanceId = UUID.randomUUID().toString();
        trapBalances = shared;
    }

    /** Why a URL whose turn has come is not worth a request, or nothing. */
    public Optional<String> trapReason(CrawlUrl url, Hop hop) {
        if (!enabled || isExempt(hop)) {
            return Optional.empty();
        }
        var endless = TrapUrlRule.reason(url);
        if (endless.isPresent()) {
            return endless;
        }
        var suspects = suspectKeys(url);
        return !suspects.isEmpty() && refresh(suspects) ? exhaustedReason(url) : Optional.empty();
    }

    /** The keys of a URL's patterns when one of them looks spent, else none. */
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

    /** Reads balances as all workers have made them; false when they cannot be read now. */
    private boolean refresh(List<Long> keys) {
        if (trapBalances.equals(TrapBalances.LOCAL)) {
            return true;
        }
        try {
            apply(keys, trapBalances.balances(keys));
            return true;
        } catch (IOException e) {
            LOG.debug("no URL is given up while trap balances cannot be read", e);
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
        var spent = exhaustedPattern();
        if (spent == null) {
            return Optional.empty();
        }
        spent.recordWithheld(url.text());
        return Optional.of("%s: its pages bring nothing new".formatted(describe(spent, url)));
    }

    /** Seeds are wanted, and requisites are no pages. */
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
    public synchronized int priorityPenalty(CrawlUrl newcomer, Hop hop, long parent) {
        if (!enabled || isExempt(hop)) {
            return 0;
        }
        urlPatternPath.match(newcomer, true);
        urlPatternPath.countUrl();
        var lowered = penalty(newcomer);
        var pendingPage = pendingPages.get(parent);
        if (pendingPage != null) {
            recordLink(pendingPage, lowered);
        }
        return lowered;
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

    /** The pending page has a link to the URL that was matched last. */
    private void recordLink(PendingPage pendingPage, int lowered) {
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
        pendingPage.excused |= lowered == 0 && (deepest == null || deepest.repeats < REPEATS_FROM);
    }

    /** A page is about to be settled: what its links turn out to be is noted until then. */
    public synchronized void beginPage(long number, Capture capture) {
        var page = capture.page();
        if (!enabled || page.simHash() == 0 || recentPages.contains(capture.url().key())) {
            return;
        }
        var look = layoutHash(capture);
        urlPatternPath.match(capture.url(), true);
        var path =
                Objects.requireNonNull(
                        urlPatternPath.get(urlPatternPath.pathIndex()), "made by the walk");
        var pendingPage = new PendingPage(path, capture.url().key(), page, look, bytes(capture));
        for (var i = 0; i < urlPatternPath.size(); i++) {
            var urlPattern = urlPatternPath.get(i);
            if (urlPattern != null) {
                pendingPage.urlPatterns.add(urlPattern);
            }
        }
        pendingPages.put(number, pendingPage);
    }

    /** Counts the pending pages if {@code all} were settled for certain; else none. */
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

    /** Only the committer sends, so changes arrive in the order in which pages were settled. */
    private void send() {
        try {
            while (!unsent.isEmpty()) {
                var changes = unsent.getFirst();
                apply(changes.keys(), trapBalances.apply(changes));
                unsent.removeFirst();
            }
        } catch (IOException e) {
            LOG.debug("trap balances are sent later", e);
        }
    }

    private void score(PendingPage pendingPage, TrapBalances.Changes changes) {
        var distance = distance(pendingPage);
        var like = distance <= distanceMax(pendingPage.bytes);
        var cost = like && !pendingPage.excused ? cost(pendingPage, distance) : 0;
        for (var urlPattern : pendingPage.urlPatterns) {
            urlPattern.visits++;
            urlPattern.repeats = like ? urlPattern.repeats + 1 : 0;
            var by = like ? -cost * point(urlPattern, pendingPage.path) : NOVELTY_REWARD * POINT;
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

    /** 0 only for what is the same with all its links, anywhere in the domain. */
    private int distance(PendingPage pendingPage) {
        if (textHashes[textSlot(pendingPage)] == textKey(pendingPage)) {
            return 0;
        }
        var least = UrlPattern.DISTANCE_MAX;
        for (var urlPattern : pendingPage.urlPatterns) {
            least =
                    Math.min(
                            least,
                            urlPattern.distance(pendingPage.simHash, pendingPage.layoutHash));
        }
        return Math.max(1, least);
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
     * Of n words, k of which differ, the vectors behind the SimHash stand at an angle whose cosine
     * is 1 - k/n, and each of 64 bits differs with the probability of that angle over π (Charikar
     * 2002). A word takes about twelve bytes of a page, its markup included, and six may differ;
     * the nearest of several pages is nearer than most.
     */
    private static int distanceMax(int bytes) {
        var cosine = 1 - Math.min(0.5, OTHER_WORDS_BYTES / Math.max(1, bytes));
        return Math.clamp(
                (int) (64 * StrictMath.acos(cosine) / Math.PI), DISTANCE_MIN, DISTANCE_MAX);
    }

    /** About how long a page is; text packed for the way is four times as long. */
    private static int bytes(Capture capture) {
        return capture.exchange()
                .map(
                        exchange -> {
                            var packed = exchange.head().field("content-encoding").isPresent();
                            return Math.min(exchange.body().length() * (packed ? 4 : 1), 1 << 30);
                        })
                .orElse(0L)
                .intValue();
    }

    /** Whether a word is a part of the host name, which says nothing that the URL does not. */
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

    /** What a page looks like, its text and its numbers apart: its title and its pictures. */
    private long layoutHash(Capture capture) {
        var page = capture.page();
        var look = 0L;
        for (var link : page.links()) {
            if (link.kind() == LinkKind.REQUISITE) {
                look += UrlPatternPath.mix(link.url().key().high());
            }
        }
        for (var word : page.title().split(" ", -1)) {
            var says = !DATES.contains(word) && !isHostLabel(capture.url().host(), word);
            look = UrlPatternPath.mix(look + (says ? urlPatternPath.shapeHash(word) : 0));
        }
        return look;
    }
}
