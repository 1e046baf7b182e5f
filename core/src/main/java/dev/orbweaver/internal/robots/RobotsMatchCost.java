package dev.orbweaver.internal.robots;

/**
 * Counts the bytes compared while paths are matched against wildcard rules. There may be many rules
 * and links, so a caller that matches many paths stops at a limit.
 */
public final class RobotsMatchCost {

    private long steps;

    void add(long more) {
        steps += more;
    }

    public long steps() {
        return steps;
    }
}
