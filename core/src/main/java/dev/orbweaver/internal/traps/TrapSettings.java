package dev.orbweaver.internal.traps;

/**
 * How a crawl guards itself against places that go on for ever.
 *
 * @param enabled whether it does
 * @param budget so many pages of one pattern may be the text of others and lead nowhere, or half as
 *     many that lead only to each other, before the rest of it is given up
 */
public record TrapSettings(boolean enabled, int budget) {

    /** The budget unless another is asked for. */
    public static final int BUDGET = 16;

    /** What a crawl does unless it is told otherwise. */
    public static final TrapSettings DEFAULT = new TrapSettings(true, BUDGET);

    /** No guard at all. */
    public static final TrapSettings OFF = new TrapSettings(false, BUDGET);

    /** Rejects a budget that lets nothing be tried. */
    public TrapSettings {
        if (budget < 1) {
            throw new IllegalArgumentException("a budget is at least 1: " + budget);
        }
    }
}
