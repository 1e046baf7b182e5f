package dev.orbweaver.internal.robots;

/**
 * Counts the bytes compared while paths are judged by rules with wildcards. The rules of a file may
 * be many and so may the links of a page, so a caller that judges many paths at once stops at a
 * limit.
 */
public final class RobotsMatchCost {

    private long steps;

    void add(long more) {
        steps += more;
    }

    /** How many bytes were compared so far. */
    public long steps() {
        return steps;
    }
}
