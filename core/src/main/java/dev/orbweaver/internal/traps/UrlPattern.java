package dev.orbweaver.internal.traps;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The state of one pattern, see {@link TrapDetector}. */
final class UrlPattern {

    /** How many of the last pages are remembered to compare the next one with. */
    private static final int RECENT_PAGES = 8;

    private static final int SAMPLES = 3;

    /** From this many different names on, they count as one. */
    private static final int WILDCARD_FROM = 24;

    /** For hosts; one that has several URLs keeps its name, so fewer suffice. */
    private static final int WILDCARD_DOMAIN_FROM = 10;

    /** For names that differ in their digits only. */
    private static final int CROWD_FROM = 6;

    private static final int ESTABLISHED_FROM = 8;

    /** Nothing like it. */
    static final int DISTANCE_MAX = 64;

    final long key;
    final Kind kind;

    /** What its pages brought less what they cost. */
    int balance;

    int repeats;

    int visits;

    /** How many URLs of it were found. */
    int found;

    /** The names below it, as bits of a hash: enough to tell a few from many. */
    long nameBits;

    long withheld;

    /** Set only once it matters. */
    String text = "";

    final List<String> samples = new ArrayList<>(0);
    private long @Nullable [] recentPages;
    private int next;

    enum Kind {
        DOMAIN,
        HOST,
        /** A segment of the path; also a host name that is one of very many. */
        PATH,
        /** A query with a parameter of this name. */
        PARAMETER
    }

    UrlPattern(long key, Kind kind) {
        this.key = key;
        this.kind = kind;
    }

    /** Whether it has enough URLs to be told apart from its neighbours. */
    boolean isEstablished() {
        return found >= ESTABLISHED_FROM;
    }

    void addName(long hash) {
        nameBits |= 1L << (hash >>> 58);
    }

    boolean isCrowded() {
        return Long.bitCount(nameBits) >= CROWD_FROM;
    }

    boolean isWildcard() {
        return Long.bitCount(nameBits)
                >= (kind == Kind.DOMAIN ? WILDCARD_DOMAIN_FROM : WILDCARD_FROM);
    }

    /** Whether it has lost its budget. */
    boolean isExhausted(int most) {
        return balance <= -most;
    }

    boolean isDoubtful(int most) {
        return balance <= -most / 2;
    }

    /** Credit is bounded, so that earlier pages save a pattern only for a while. */
    void adjustBalance(int by, int most) {
        balance = Math.min(balance + by, most);
    }

    /** How many bits the text differs in from that of a remembered page that looks the same. */
    int distance(long simHash, long look) {
        var least = DISTANCE_MAX;
        if (recentPages != null) {
            for (var i = 0; i < recentPages.length; i += 2) {
                if (recentPages[i + 1] == look) {
                    least = Math.min(least, Long.bitCount(recentPages[i] ^ simHash));
                }
            }
        }
        return least;
    }

    void recordPage(long simHash, long look) {
        if (recentPages == null) {
            recentPages = new long[2 * RECENT_PAGES];
        }
        recentPages[next] = simHash;
        recentPages[next + 1] = look;
        next = (next + 2) % recentPages.length;
    }

    void recordWithheld(String url) {
        withheld++;
        if (samples.size() < SAMPLES) {
            samples.add(url);
        }
    }
}
