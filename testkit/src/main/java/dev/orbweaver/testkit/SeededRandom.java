package dev.orbweaver.testkit;

/**
 * A deterministic random number generator: equal on every machine and Java version, which the JDK's
 * generators do not guarantee. SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom
 * Number Generators", 2014).
 */
final class SeededRandom {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    SeededRandom(long seed, long salt, long subject) {
        state = mix(mix(seed + GOLDEN_GAMMA * (salt + 1)) + GOLDEN_GAMMA * (subject + 1));
    }

    long nextLong() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Returns a number uniformly distributed in [0, bound). */
    int nextInt(int bound) {
        return (int) (((nextLong() >>> 33) * bound) >>> 31);
    }

    /** Returns a number uniformly distributed in [0, 1). */
    double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    boolean oneIn(int n) {
        return nextInt(n) == 0;
    }

    <T> T pick(T[] choices) {
        return choices[nextInt(choices.length)];
    }

    /** The Box-Muller transform, with StrictMath for equal results on every machine. */
    double nextGaussian() {
        var radius = StrictMath.sqrt(-2 * StrictMath.log(1 - nextDouble()));
        return radius * StrictMath.cos(2 * StrictMath.PI * nextDouble());
    }

    void shuffle(int[] values) {
        for (var i = values.length - 1; i > 0; i--) {
            var j = nextInt(i + 1);
            var kept = values[i];
            values[i] = values[j];
            values[j] = kept;
        }
    }

    private static long mix(long value) {
        var z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
