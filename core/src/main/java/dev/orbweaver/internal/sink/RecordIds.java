package dev.orbweaver.internal.sink;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Generates record IDs: UUIDs from pseudorandom numbers (RFC 9562, 5.4). They must differ but need
 * not be hard to guess, so the system's random numbers are only the seed: used for every ID, they
 * would cost more than the rest of a record's head. Not thread-safe.
 */
final class RecordIds {

    private static final long VERSION = 0xF000L;
    private static final long VERSION_4 = 0x4000L;
    private static final long VARIANT = 0xC000_0000_0000_0000L;
    private static final long VARIANT_2 = 0x8000_0000_0000_0000L;

    private final SplittableRandom high;
    private final SplittableRandom low;

    RecordIds() {
        var source = new SecureRandom();
        high = new SplittableRandom(source.nextLong());
        low = new SplittableRandom(source.nextLong());
    }

    String next() {
        return "urn:uuid:"
                + new UUID(
                        (high.nextLong() & ~VERSION) | VERSION_4,
                        (low.nextLong() & ~VARIANT) | VARIANT_2);
    }
}
