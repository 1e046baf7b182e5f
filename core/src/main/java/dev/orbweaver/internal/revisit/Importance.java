package dev.orbweaver.internal.revisit;

/**
 * How much the freshness of a page counts, in steps of 9 % from 2⁻¹⁶ to 2¹⁶.
 *
 * <p>Rounding by half a step costs less than 0.1 % of the freshness that a budget buys.
 */
public final class Importance {

    private static final double STEPS_PER_OCTAVE = 8;

    private Importance() {}

    /**
     * Returns the importance of a page: less with each link between it and a seed, more with each
     * tenfold of pages that link to it.
     *
     * @param inlinks known links to the page, 0 if unknown
     * @param weight of the user's rules, 1 if none applies
     */
    public static double of(int depth, long inlinks, double weight) {
        return weight * (1 + Math.log10(1.0 + inlinks)) / (1 + depth);
    }

    static byte encode(double importance) {
        var step = Math.round(STEPS_PER_OCTAVE * Math.log(importance) / Math.log(2));
        return (byte) Math.clamp(step, Byte.MIN_VALUE, Byte.MAX_VALUE);
    }

    static double decode(byte code) {
        return Math.pow(2, code / STEPS_PER_OCTAVE);
    }
}
