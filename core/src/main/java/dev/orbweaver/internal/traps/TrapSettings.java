package dev.orbweaver.internal.traps;

/**
 * Settings of the {@link TrapDetector}.
 *
 * @param budget how many pages of one pattern may repeat others and have no new links before the
 *     rest of the pattern is withheld; half as many if they link only to each other
 */
public record TrapSettings(boolean enabled, int budget) {

    public static final int BUDGET = 16;

    public static final TrapSettings DEFAULT = new TrapSettings(true, BUDGET);

    public static final TrapSettings OFF = new TrapSettings(false, BUDGET);

    public TrapSettings {
        if (budget < 1) {
            throw new IllegalArgumentException("the trap budget must be at least 1: " + budget);
        }
    }
}
