package dev.orbweaver.internal.traps;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The state of one pattern, see {@link TrapDetector}. */
final class UrlPattern {

    /** Number of recent pages with which the next one is compared. */
    private static final int RECENT_PAGES = 8;

    private static final int SAMPLES = 3;

    /** From this many different names on, they count as one. */
    private static final int WILDCARD_FROM = 24;

    /** The limit for hosts: lower, because a host with several URLs keeps its name. */
    private static final int WILDCARD_DOMAIN_FROM = 10;

    /** The limit for names that differ only in their digits. */
    private static final int CROWD_FROM = 6;

    private static final int ESTABLISHED_FROM = 8;

    /** The distance if no recent page is similar. */
    static final int DISTANCE_MAX = 64;

    final long key;
    final Kind kind;

    /** The sum of rewards minus costs of its pages. */
    int balance;

    int repeats;

    int visits;

    /** Number of its URLs that were found. */
    int found;

    /** The names below it as bits of a hash: enough to distinguish few from many. */
    long nameBits;

    long withheld;

    /** A description, set when a URL is first withheld. */
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

    /** Returns whether it has enough URLs to be separate from its siblings. */
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

    /** Returns whether the budget is used up. */
    boolean isExhausted(int budget) {
        return balance <= -budget;
    }

    boolean isDoubtful(int budget) {
        return balance <= -budget / 2;
    }

    /**
     * Changes the balance. It is capped, so that earlier pages protect a pattern only for a while.
     */
    void adjustBalance(int by, int max) {
        balance = Math.min(balance + by, max);
    }

    /** Returns the distance in bits to the nearest recent page with the same layout. */
    int distance(long simHash, long layoutHash) {
        var nearest = DISTANCE_MAX;
        if (recentPages != null) {
            for (var i = 0; i < recentPages.length; i += 2) {
                if (recentPages[i + 1] == layoutHash) {
                    nearest = Math.min(nearest, Long.bitCount(recentPages[i] ^ simHash));
                }
            }
        }
        return nearest;
    }

    void recordPage(long simHash, long layoutHash) {
        if (recentPages == null) {
            recentPages = new long[2 * RECENT_PAGES];
        }
        recentPages[next] = simHash;
        recentPages[next + 1] = layoutHash;
        next = (next + 2) % recentPages.length;
    }

    void recordWithheld(String url) {
        withheld++;
        if (samples.size() < SAMPLES) {
            samples.add(url);
        }
    }
}
