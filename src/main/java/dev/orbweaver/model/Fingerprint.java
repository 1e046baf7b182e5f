package dev.orbweaver.model;

/**
 * 80 bits of a hash over a URL's normal form: the key under which a crawl remembers that it has
 * seen the URL.
 *
 * <p>With n URLs the expected number of false "seen" answers is n²/2⁸¹: 4·10⁻⁵ at ten billion URLs.
 */
public record Fingerprint(long high, short low) {}
