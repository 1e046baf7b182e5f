package dev.orbweaver.model;

/**
 * 80 bits of a keyed hash of a URL's normal form: the key of a crawl's seen set.
 *
 * <p>With n URLs the expected number of false positives is n²/2⁸¹: 4·10⁻⁵ at ten billion URLs. It
 * holds for hostile URLs too, because the hash is keyed with a secret of the frontier. The order
 * has no meaning; it keeps hash maps fast when many hash codes are equal.
 */
public record Fingerprint(long high, short low) implements Comparable<Fingerprint> {

    @Override
    public int compareTo(Fingerprint other) {
        var byHigh = Long.compare(high, other.high);
        return byHigh != 0 ? byHigh : Short.compare(low, other.low);
    }
}
