package dev.orbweaver.url;

import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;

import dev.orbweaver.model.Fingerprint;

/**
 * The one door to the hash function: 80 of the 128 bits of XXH3 over a URL's normal form.
 *
 * <p>Fingerprints live on disk, so the function and its seed are part of the file format.
 */
public final class Fingerprints {

    private static final Hasher128 HASHER = Hashing.xxh3_128();

    private Fingerprints() {}

    /** The fingerprint of the bytes from {@code start} to before {@code end}. */
    public static Fingerprint of(byte[] normalForm, int start, int end) {
        var hash = HASHER.hashBytesTo128Bits(normalForm, start, end - start);
        return new Fingerprint(
                hash.getMostSignificantBits(), (short) hash.getLeastSignificantBits());
    }
}
