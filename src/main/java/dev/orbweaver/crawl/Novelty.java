package dev.orbweaver.crawl;

import dev.orbweaver.crawl.Pattern.Kind;
import dev.orbweaver.frontier.Usher;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.scope.EndlessUrl;

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
 * <p><b>The idea.</b> URLs are grouped by {@link Pattern}, in a tree: the registrable domain, the
 * host name, the folders of the path, the path, the parameters of the query ({@link Trail}). A page
 * that is read is credited to all patterns of its URL when it brings something, and charged to them
 * when it does not. A pattern that has lost its budget is spent, and URLs in it are given up when
 * their turn comes: not requested, kept as dead letters with the cause {@code trap}. So nothing is
 * decided about a URL before it must be, and nothing is lost: {@code dead retry} takes them back.
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
 * who found it first ({@link #judged}): the first fetch of the same page may have been it. Balances
 * are kept in {@link TrapAccounts}, so they do not depend on which worker fetched a page, and a URL
 * is given up only by balances that were read for this decision.
 *
 * <p>The state has a fixed size and depends on nothing but the order of calls; there is no clock.
 * All methods may be called from any thread; {@link #lowers} and {@link #judged} are called by the
 * frontier under its lock and call nothing of it.
 */
final class Novelty implements Usher {

    private static final Logger LOG = LoggerFactory.getLogger(Novelty.class);
    private static final int PATTERNS = 1 << 16;
    private static final int TEXTS = 1 << 15;

    /** As many of the last pages are recognised when they are fetched again. */
    private static final int PAGES = 1 << 14;

    /** As many batches of changes wait for accounts that cannot be reached; more are dropped. */
    private static final int UNSENT_MAX = 64;

    /** In these a budget is counted: what the path pays for one point. */
    private static final int POINT = 10;

    private static final int POINT_OF_FOLDER = 4;
    private static final int POINT_OF_HOST = 1;

    /** Leads to nothing but more of its kind. */
    private static final int BREEDING = 2;

    /** Leads nowhere new, with the text of another. */
    private static final int IDLE = 1;

    /** Is another in every respect but its URL: one of these for each of the above. */
    private static final int SAME = 1;

    private static final int EARNED = 3;

    /** After so many pages in a row that are like others, a pattern excuses nobody. */
    private static final int DULL_FROM = 10;

    private static final int DOUBTFUL_LOWERS = 50;
    private static final int SPENT_LOWERS = 100;

    /** Up to how many bits texts differ that are the same but for a number, by size in bytes. */
    private static final int NEAREST = 3;

    private static final int FARTHEST = 16;
    private static final double OTHER_WORDS_BYTES = 72;

    private static final int VERY_SAME = 3;

    /** In a title these are numbers too. */
    private static final Set<String> DATES =
            Set.of(
                    ("January February March April May June July August September October November"
                                    + " December Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec"
                                    + " Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
                                    + " Mon Tue Wed Thu Fri Sat Sun")
                            .split(" ", -1));

    private final boolean on;
    private final int most;
    private final PatternTable table = new PatternTable(PATTERNS);
    private final long[] texts = new long[TEXTS];
    private final Trail trail;
    private final Map<Long, Reading> readings = new LinkedHashMap<>();
    private final LinkedHashSet<Fingerprint> read = new LinkedHashSet<>();
    private final Deque<TrapAccounts.Changes> unsent = new ArrayDeque<>();
    private volatile TrapAccounts accounts = TrapAccounts.OWN;

    /** Sets the ids of this process's changes apart from those of one before it. */
    private volatile String life = "";

    private long batches;

    /** A page that is being settled, and what came of its links so far. */
    private static final class Reading {
        final List<Pattern> patterns = new ArrayList<>();
        final Fingerprint page;
        final Pattern path;
        final long simHash;
        final long look;
        final long links;
        final int bytes;
        boolean breeds;
        boolean excused;

        Reading(Pattern path, Fingerprint url, Page page, long look, int bytes) {
            this.path = path;
            this.page = url;
            this.simHash = page.simHash();
            this.look = look;
            this.links = links(page);
            this.bytes = bytes;
        }
    }

    Novelty(TrapSettings settings) {
        this.on = settings.on();
        this.most = (int) Math.min((long) settings.budget() * POINT, Integer.MAX_VALUE / 4);
        this.trail = new Trail(table, most);
    }

    /** What was learned, to be kept for the next process. */
    synchronized String learned() {
        return PatternFile.write(table.all());
    }

    /** Goes on with what another process learned. */
    synchronized void recall(String learned) {
        PatternFile.read(learned).forEach(pattern -> table.put(pattern, most));
    }

    /** Keeps balances with other workers on the same job; called before the first page. */
    void share(TrapAccounts shared) {
        life = UUID.randomUUID().toString();
        accounts = shared;
    }

    /** Why a URL whose turn has come is not worth a request, or nothing. */
    Optional<String> objection(CrawlUrl url, Hop hop) {
        if (!on || exempt(hop)) {
            return Optional.empty();
        }
        var endless = EndlessUrl.reason(url);
        if (endless.isPresent()) {
            return endless;
        }
        var suspects = suspects(url);
        return !suspects.isEmpty() && refresh(suspects) ? verdict(url) : Optional.empty();
    }

    /** The keys of a URL's patterns when one of them looks spent, else none. */
    private synchronized List<Long> suspects(CrawlUrl url) {
        trail.walk(url, false);
        if (spent() == null) {
            return List.of();
        }
        var keys = new ArrayList<Long>();
        for (var i = 0; i < trail.size(); i++) {
            var pattern = trail.at(i);
            if (pattern != null) {
                keys.add(pattern.key);
            }
        }
        return keys;
    }

    /** Reads balances as all workers have made them; false when they cannot be read now. */
    private boolean refresh(List<Long> keys) {
        if (accounts.equals(TrapAccounts.OWN)) {
            return true;
        }
        try {
            apply(keys, accounts.balances(keys));
            return true;
        } catch (IOException e) {
            LOG.debug("no URL is given up while trap balances cannot be read", e);
            return false;
        }
    }

    private synchronized void apply(List<Long> keys, int[] balances) {
        for (var i = 0; i < balances.length; i++) {
            var pattern = table.find(keys.get(i));
            if (pattern != null) {
                pattern.balance = balances[i];
            }
        }
    }

    private synchronized Optional<String> verdict(CrawlUrl url) {
        trail.walk(url, false);
        var spent = spent();
        if (spent == null) {
            return Optional.empty();
        }
        spent.withhold(url.text());
        return Optional.of("%s: its pages bring nothing new".formatted(name(spent, url)));
    }

    /** Whoever names a URL wants it, and what a page is shown with is not a page. */
    private static boolean exempt(Hop hop) {
        return hop.seed() || hop == Hop.SITEMAP || hop == Hop.EMBED;
    }

    private @Nullable Pattern spent() {
        for (var i = trail.pathAt() + 1; i < trail.size(); i++) {
            var parameter = trail.at(i);
            if (parameter != null && parameter.spent(most)) {
                return parameter;
            }
        }
        for (var i = trail.pathAt(); i >= 0; i--) {
            var pattern = trail.at(i);
            if (pattern != null && pattern.spent(most)) {
                return pattern;
            }
            if (pattern != null && pattern.balance > 0) {
                return null;
            }
        }
        return null;
    }

    private static String name(Pattern pattern, CrawlUrl example) {
        if (pattern.text.isEmpty()) {
            pattern.text = "like " + example.text();
        }
        return pattern.text;
    }

    @Override
    public synchronized int lowers(CrawlUrl newcomer, Hop hop, long parent) {
        if (!on || exempt(hop)) {
            return 0;
        }
        trail.walk(newcomer, true);
        trail.count();
        var lowered = lowered(newcomer);
        var reading = readings.get(parent);
        if (reading != null) {
            note(reading, lowered);
        }
        return lowered;
    }

    @Override
    public synchronized void judged(CrawlUrl url, Hop hop, long parent, boolean isNew) {
        var reading = readings.get(parent);
        if (!on || exempt(hop) || reading == null) {
            return;
        }
        if (isNew) {
            trail.walk(url, true);
            note(reading, lowered(url));
        } else {
            reading.excused = true; // Its own first fetch may have found this link.
        }
    }

    private int lowered(CrawlUrl url) {
        if (spent() != null || EndlessUrl.reason(url).isPresent()) {
            return SPENT_LOWERS;
        }
        for (var i = trail.size() - 1; i > 0; i--) {
            var pattern = trail.at(i);
            if (pattern != null && pattern.kind != Kind.HOST && pattern.doubtful(most)) {
                return DOUBTFUL_LOWERS;
            }
        }
        return 0;
    }

    /** A page has led to the URL that was just walked. */
    private void note(Reading reading, int lowered) {
        @Nullable Pattern deepest = null;
        for (var i = 0; i < trail.size(); i++) {
            var pattern = trail.at(i);
            if (pattern == reading.path) {
                reading.breeds = true;
                return;
            }
            if (i <= trail.pathAt() && pattern != null && pattern.visits > 0) {
                deepest = pattern;
            }
        }
        reading.excused |= lowered == 0 && (deepest == null || deepest.dull < DULL_FROM);
    }

    /** A page is about to be settled: what its links turn out to be is noted until then. */
    synchronized void reading(long number, Capture capture) {
        var page = capture.page();
        if (!on || page.simHash() == 0 || read.contains(capture.url().key())) {
            return;
        }
        var look = look(capture);
        trail.walk(capture.url(), true);
        var path = Objects.requireNonNull(trail.at(trail.pathAt()), "made by the walk");
        var reading = new Reading(path, capture.url().key(), page, look, bytes(capture));
        for (var i = 0; i < trail.size(); i++) {
            var pattern = trail.at(i);
            if (pattern != null) {
                reading.patterns.add(pattern);
            }
        }
        readings.put(number, reading);
    }

    /**
     * The pages that were being settled are settled.
     *
     * @param all whether it is certain that every one of them was; else none of them counts
     */
    void settled(boolean all) {
        var changes = judgeAll(all);
        if (!changes.keys().isEmpty()) {
            if (unsent.size() < UNSENT_MAX) {
                unsent.add(changes);
            }
            send();
        }
    }

    private synchronized TrapAccounts.Changes judgeAll(boolean all) {
        var changes = TrapAccounts.Changes.none(life + ":" + batches++, most);
        for (var reading : readings.values()) {
            read.add(reading.page);
            if (all) {
                judge(reading, changes);
            }
        }
        readings.clear();
        while (read.size() > PAGES) {
            var _ = read.removeFirst();
        }
        return changes;
    }

    /** Only the committer sends, so changes arrive in the order in which pages were settled. */
    private void send() {
        try {
            while (!unsent.isEmpty()) {
                var changes = unsent.getFirst();
                apply(changes.keys(), accounts.change(changes));
                unsent.removeFirst();
            }
        } catch (IOException e) {
            LOG.debug("trap balances are sent later", e);
        }
    }

    private void judge(Reading reading, TrapAccounts.Changes changes) {
        var distance = distance(reading);
        var like = distance <= nearness(reading.bytes);
        var cost = like && !reading.excused ? cost(reading, distance) : 0;
        for (var pattern : reading.patterns) {
            pattern.visits++;
            pattern.dull = like ? pattern.dull + 1 : 0;
            var by = like ? -cost * point(pattern, reading.path) : EARNED * POINT;
            pattern.change(by, most);
            if (!accounts.equals(TrapAccounts.OWN)) {
                changes.add(pattern.key, by);
            }
            if (pattern.kind != Kind.PARAMETER) {
                pattern.remember(reading.simHash, reading.look);
            }
        }
        texts[textAt(reading)] = textKey(reading);
    }

    private static int cost(Reading reading, int distance) {
        if (reading.breeds) {
            return distance <= VERY_SAME ? BREEDING + SAME : BREEDING;
        }
        return distance == 0 ? IDLE + SAME : distance <= VERY_SAME ? IDLE : 0;
    }

    private static int point(Pattern pattern, Pattern path) {
        return switch (pattern.kind) {
            case DOMAIN, HOST -> POINT_OF_HOST;
            case PATH -> pattern == path ? POINT : POINT_OF_FOLDER;
            case PARAMETER -> POINT;
        };
    }

    /** 0 only for what is the same with all its links, anywhere in the domain. */
    private int distance(Reading reading) {
        if (texts[textAt(reading)] == textKey(reading)) {
            return 0;
        }
        var least = Pattern.UNLIKE;
        for (var pattern : reading.patterns) {
            least = Math.min(least, pattern.distance(reading.simHash, reading.look));
        }
        return Math.max(1, least);
    }

    private static long textKey(Reading reading) {
        var domain = reading.patterns.getFirst().key;
        return Trail.mix(domain + reading.simHash * 31 + Trail.mix(reading.look + reading.links));
    }

    private static int textAt(Reading reading) {
        return (int) (textKey(reading) >>> 20) & (TEXTS - 1);
    }

    /**
     * Of n words, k of which differ, the vectors behind the SimHash stand at an angle whose cosine
     * is 1 - k/n, and each of 64 bits differs with the probability of that angle over π (Charikar
     * 2002). A word takes about twelve bytes of a page, its markup included, and six may differ;
     * the nearest of several pages is nearer than most.
     */
    private static int nearness(int bytes) {
        var cosine = 1 - Math.min(0.5, OTHER_WORDS_BYTES / Math.max(1, bytes));
        return Math.clamp((int) (64 * StrictMath.acos(cosine) / Math.PI), NEAREST, FARTHEST);
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
    private static boolean names(String host, String word) {
        var name = word.toLowerCase(Locale.ROOT);
        var at = name.isEmpty() ? -1 : host.indexOf(name);
        return at >= 0
                && (at == 0 || host.charAt(at - 1) == '.')
                && host.startsWith(".", at + name.length());
    }

    private static long links(Page page) {
        var sum = 0L;
        for (var link : page.links()) {
            sum += Trail.mix(link.url().key().high());
        }
        return sum;
    }

    /** What a page looks like, its text and its numbers apart: its title and its pictures. */
    private long look(Capture capture) {
        var page = capture.page();
        var look = 0L;
        for (var link : page.links()) {
            if (link.kind() == LinkKind.REQUISITE) {
                look += Trail.mix(link.url().key().high());
            }
        }
        for (var word : page.title().split(" ", -1)) {
            var says = !DATES.contains(word) && !names(capture.url().host(), word);
            look = Trail.mix(look + (says ? trail.shape(word) : 0));
        }
        return look;
    }
}
