package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A queued URL as flat, reusable fields: millions are copied between buffer and segments without
 * allocating an object for each.
 */
@SuppressWarnings("EnumOrdinal") // The files store ordinals.
public final class UrlRecordBuffer {

    private static final Hop[] HOPS = Hop.values();

    /** ASCII. */
    public byte[] text = new byte[256];

    /** Number of valid bytes in {@link #text}. */
    public int length;

    public int hopOrdinal;

    /** Links from a seed. */
    public int depth;

    /** Redirects in a row. */
    public int hops;

    /** The capture in which it was found or visited last, see {@link AcceptedUrl#packedParent}. */
    public long parent;

    public long foundAt;

    /** Whether a redirect gave the URL this spelling. */
    public boolean equivalentRedirect;

    public int attempts;

    public int expiredLeases;

    public void ensureCapacity(int bytes) {
        if (text.length < bytes) {
            text = Arrays.copyOf(text, Math.max(bytes, text.length * 2));
        }
    }

    /** Returns whether anything happened to the URL since it was found. */
    public boolean hasHistory() {
        return equivalentRedirect || attempts > 0 || expiredLeases > 0;
    }

    public void clearHistory() {
        equivalentRedirect = false;
        attempts = 0;
        expiredLeases = 0;
    }

    void fill(QueueEntry url) {
        var facts = url.accepted;
        setText(facts.url().text());
        hopOrdinal = facts.hop().ordinal();
        depth = facts.depth();
        hops = facts.hops();
        parent = facts.packedParent();
        foundAt = facts.foundAt();
        equivalentRedirect = url.equivalentRedirect;
        attempts = url.attempts;
        expiredLeases = url.expiredLeases;
    }

    @SuppressWarnings("deprecation") // A crawl URL is pure ASCII, so the low bytes are the text.
    private void setText(String url) {
        length = url.length();
        ensureCapacity(length);
        url.getBytes(0, length, text, 0);
    }

    public String textAsString() {
        return new String(text, 0, length, StandardCharsets.ISO_8859_1);
    }

    QueueEntry url(int job, int rank, CrawlUrl crawlUrl) {
        var url =
                new QueueEntry(
                        new AcceptedUrl(
                                job,
                                crawlUrl,
                                HOPS[hopOrdinal],
                                depth,
                                hops,
                                AcceptedUrl.parent(parent),
                                rank,
                                foundAt,
                                AcceptedUrl.last(parent)));
        url.equivalentRedirect = equivalentRedirect;
        url.attempts = attempts;
        url.expiredLeases = expiredLeases;
        return url;
    }

    QueueEntry url(int job, int rank, Fingerprint key) {
        return url(job, rank, CrawlUrl.fromStored(textAsString(), key));
    }
}
