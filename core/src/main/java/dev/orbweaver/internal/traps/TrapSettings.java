package dev.orbweaver.internal.traps;

/**
 * Settings of the {@link TrapDetector}.
 *
 * @param budget how many pages of one pattern may repeat others and lead nowhere, or half as many
 *     that lead only to each other, before the rest of it is given up
 */
public record TrapSettings(boolean enabled, int budget) {

    public static final int BUDGET = 16;

    public static final TrapSettings DEFAULT = new TrapSettings(true, BUDGET);

    public static final TrapSettings OFF = new TrapSettings(false, BUDGET);

    public TrapSettings {
        if (budget < 1) {
            throw new IllegalArgumentException("a budget is at least 1: " + budget);
        }
    }
}
