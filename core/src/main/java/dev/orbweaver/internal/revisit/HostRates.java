package dev.orbweaver.internal.revisit;

import dev.orbweaver.internal.revisit.ChangeEstimate.Sums;
import dev.orbweaver.internal.revisit.RevisitRules.Rates;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What was observed on the pages of one host, in all and by URL pattern, for a store that keeps it
 * as some bytes per number.
 */
public final class HostRates {

    /** The bytes of what is stored under a number. */
    public static final int BYTES = SumsTable.ENTRY;

    /** The number of the sums of all pages; those of patterns are not negative. */
    public static final int ALL_PAGES = -1;

    /** Patterns of a host with the same lowest bits share a prior. */
    private static final int PATTERNS_MAX = 256;

    private final Map<Integer, Sums> sums = new HashMap<>();
    private final Set<Integer> changed = new HashSet<>();

    /** Reads what {@link #takeChanged} has returned so far. */
    public static HostRates of(Map<Integer, byte[]> stored) {
        var rates = new HostRates();
        stored.forEach(
                (number, bytes) -> {
                    if (bytes.length == SumsTable.ENTRY) {
                        rates.sums.put(number, SumsTable.read(MemorySegment.ofArray(bytes), 0));
                    }
                });
        return rates;
    }

    /** Returns what has changed since the last call. */
    public Map<Integer, byte[]> takeChanged() {
        var all = new HashMap<Integer, byte[]>();
        changed.forEach(number -> all.put(number, encode(get(number))));
        changed.clear();
        return all;
    }

    private static byte[] encode(Sums sums) {
        var bytes = new byte[SumsTable.ENTRY];
        SumsTable.write(MemorySegment.ofArray(bytes), 0, sums);
        return bytes;
    }

    Rates of(int pattern) {
        return new Rates(get(pattern % PATTERNS_MAX), get(ALL_PAGES));
    }

    void put(int pattern, Rates rates) {
        put(pattern % PATTERNS_MAX, rates.pattern());
        put(ALL_PAGES, rates.host());
    }

    private void put(Integer number, Sums value) {
        // Rounded as it is stored, so that an estimate does not depend on when it is read again.
        sums.put(number, SumsTable.read(MemorySegment.ofArray(encode(value)), 0));
        changed.add(number);
    }

    private Sums get(Integer number) {
        return sums.getOrDefault(number, Sums.NONE);
    }

    /** Returns the numbers that have something. */
    @Override
    public String toString() {
        return sums.keySet().stream().sorted().toList().toString();
    }
}
