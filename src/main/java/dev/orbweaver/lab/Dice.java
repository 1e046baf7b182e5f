package dev.orbweaver.lab;

/**
 * Repeatable chance. The same seed and salts give the same throws on every machine and every Java,
 * which the JDK's own generators do not promise across versions. The mixing is SplitMix64 (Steele,
 * Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
 */
final class Dice {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    Dice(long seed, long salt, long subject) {
        state = mix(mix(seed + GOLDEN_GAMMA * (salt + 1)) + GOLDEN_GAMMA * (subject + 1));
    }

    long next() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Even between 0 and {@code bound}, exclusive. */
    int below(int bound) {
        return (int) (((next() >>> 33) * bound) >>> 31);
    }

    /** Even in [0, 1). */
    double unit() {
        return (next() >>> 11) * 0x1.0p-53;
    }

    boolean oneIn(int n) {
        return below(n) == 0;
    }

    <T> T pick(T[] choices) {
        return choices[below(choices.length)];
    }

    /** A standard normal throw, by Box and Muller. StrictMath, so that every machine agrees. */
    double normal() {
        var radius = StrictMath.sqrt(-2 * StrictMath.log(1 - unit()));
        return radius * StrictMath.cos(2 * StrictMath.PI * unit());
    }

    void shuffle(int[] values) {
        for (var i = values.length - 1; i > 0; i--) {
            var j = below(i + 1);
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
