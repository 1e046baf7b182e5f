package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A queued URL laid out flat, to be filled again and again: what goes between buffer and shelf,
 * millions at a time, without an object for each.
 */
@SuppressWarnings("EnumOrdinal") // Positions are what the files keep.
public final class UrlRecordBuffer {

    private static final Hop[] HOPS = Hop.values();

    /** The URL's text; it is ASCII. */
    public byte[] text = new byte[256];

    /** How much of {@link #text} counts. */
    public int length;

    /** The position of the kind of hop. */
    public int hopOrdinal;

    /** Links from a seed. */
    public int depth;

    /** Redirects in a row. */
    public int hops;

    /** The capture it was found in, packed. */
    public long parent;

    /** When it was found. */
    public long foundAt;

    /** Whether a redirect put it in this spelling. */
    public boolean equivalentRedirect;

    /** Requests that failed. */
    public int attempts;

    /** Leases lost. */
    public int expiredLeases;

    /** Makes room for a text of so many bytes. */
    public void ensureCapacity(int bytes) {
        if (text.length < bytes) {
            text = Arrays.copyOf(text, Math.max(bytes, text.length * 2));
        }
    }

    /** Whether anything happened to the URL since it was found. */
    public boolean hasHistory() {
        return equivalentRedirect || attempts > 0 || expiredLeases > 0;
    }

    /** Forgets what happened to the URL since it was found. */
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
        parent = facts.parent().packed();
        foundAt = facts.foundAt();
        equivalentRedirect = url.equivalentRedirect;
        attempts = url.attempts;
        expiredLeases = url.expiredLeases;
    }

    @SuppressWarnings("deprecation") // The low bytes are the text: a crawl URL is pure ASCII.
    private void setText(String url) {
        length = url.length();
        ensureCapacity(length);
        url.getBytes(0, length, text, 0);
    }

    /** The text as a string. */
    public String textAsString() {
        return new String(text, 0, length, StandardCharsets.ISO_8859_1);
    }

    QueueEntry url(int job, int band, CrawlUrl crawlUrl) {
        var url =
                new QueueEntry(
                        new AcceptedUrl(
                                job,
                                crawlUrl,
                                HOPS[hopOrdinal],
                                depth,
                                hops,
                                CaptureRef.unpack(parent),
                                band,
                                foundAt));
        url.equivalentRedirect = equivalentRedirect;
        url.attempts = attempts;
        url.expiredLeases = expiredLeases;
        return url;
    }

    QueueEntry url(int job, int band, Fingerprint key) {
        return url(job, band, CrawlUrl.fromStored(textAsString(), key));
    }
}
