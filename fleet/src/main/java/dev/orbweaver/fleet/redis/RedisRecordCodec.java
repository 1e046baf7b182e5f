package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.FrontierEvent.HostState;
import dev.orbweaver.internal.frontier.FrontierEvent.Rest;
import dev.orbweaver.internal.frontier.LastResult;
import dev.orbweaver.internal.frontier.PageMemo;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.VarintReader;
import dev.orbweaver.internal.frontier.VarintWriter;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.VisitNumber;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes URLs and hosts as bytes. The scripts read the start of a URL: the rank as a letter,
 * thirteen digits of its not-before time, ten bytes of fingerprint; of a URL that was visited
 * before, also what that visit stored and when it was. The rest, and the whole state of a host, is
 * opaque to them.
 */
@SuppressWarnings("EnumOrdinal") // Constants are only ever added at the end.
final class RedisRecordCodec {

    /** The latest time that fits into thirteen digits: the year 2286. */
    static final long TIME_MAX = 9_999_999_999_999L;

    static final int TIME_DIGITS = 13;
    static final int HEAD = 1 + TIME_DIGITS;
    private static final Hop[] HOPS = Hop.values();
    private static final Rest[] RESTS = Rest.values();

    /** Added to the hop of a URL that was visited before. */
    static final int REVISIT_FLAG = 0x80;

    /** What the last visit stored, in the byte after the hop. */
    static final int LAST_PAGE = 1;

    private static final int LAST_OTHER = 2;

    /** Where the second of the last visit is, from the fingerprint on and from 1. */
    static final int VISITED_AT = UrlId.KEY_BYTES + 3;

    /** The letter of rank 0; that of every other rank follows in the alphabet. */
    static final char FIRST_RANK = 'a';

    private RedisRecordCodec() {}

    static char letter(int rank) {
        return (char) (FIRST_RANK + rank);
    }

    static byte[] write(QueuedUrl url) {
        var facts = url.url();
        var out = new VarintWriter(64 + facts.url().text().length());
        out.octet(letter(facts.rank()));
        out.bytes(time(url).getBytes(StandardCharsets.US_ASCII), 0, TIME_DIGITS);
        return writeFields(out, url);
    }

    /** Returns the not-before time of a URL as it is in its record. */
    static String time(QueuedUrl url) {
        return String.format("%013d", Math.clamp(url.notBefore(), 0, TIME_MAX));
    }

    /** Encodes a URL from the fingerprint on, if its rank is not chosen yet. */
    static byte[] writeWithoutHead(QueuedUrl url) {
        return writeFields(new VarintWriter(64 + url.url().url().text().length()), url);
    }

    private static byte[] writeFields(VarintWriter out, QueuedUrl url) {
        var facts = url.url();
        var text = facts.url().text().getBytes(StandardCharsets.UTF_8);
        out.bigEndian(facts.url().key().high(), Long.BYTES)
                .bigEndian(facts.url().key().low(), Short.BYTES)
                .octet(facts.hop().ordinal() | (facts.isRevisit() ? REVISIT_FLAG : 0));
        if (facts.isRevisit()) {
            writeMemo(out, facts);
        }
        out.varint(facts.depth())
                .varint(facts.hops())
                .varint(facts.parent().packed())
                .varint(facts.foundAt())
                .octet(url.equivalentRedirect() ? 1 : 0)
                .varint(url.attempts())
                .varint(url.expiredLeases())
                .bytes(text, 0, text.length);
        return Arrays.copyOf(out.array(), out.length());
    }

    private static void writeMemo(VarintWriter out, AcceptedUrl facts) {
        var state = facts.memo().state();
        out.octet(facts.last() == LastResult.PAGE ? LAST_PAGE : LAST_OTHER)
                .bytes(state, 0, state.length)
                .varint(facts.memo().visit().number())
                .varint(facts.memo().visit().first());
    }

    private static PageMemo readMemo(VarintReader in) {
        var state = new byte[KnownPage.BYTES];
        in.bytes(state, 0, state.length);
        return new PageMemo(new VisitNumber(in.intVarint(), in.varint()), state);
    }

    static QueuedUrl read(int job, byte[] record) {
        var rank = record[0] - FIRST_RANK;
        var time = Long.parseLong(new String(record, 1, TIME_DIGITS, StandardCharsets.US_ASCII));
        var in = new VarintReader(record, HEAD, record.length);
        var key = new Fingerprint(in.bigEndian(Long.BYTES), (short) in.bigEndian(Short.BYTES));
        var kind = in.octet();
        var hop = HOPS[kind & ~REVISIT_FLAG];
        var known = (kind & REVISIT_FLAG) != 0;
        var last =
                !known
                        ? LastResult.NONE
                        : in.octet() == LAST_PAGE ? LastResult.PAGE : LastResult.OTHER;
        var memo = known ? readMemo(in) : PageMemo.NONE;
        var depth = in.intVarint();
        var hops = in.intVarint();
        var parent = CaptureRef.unpack(in.varint());
        var foundAt = in.varint();
        var respelled = in.octet() == 1;
        var attempts = in.intVarint();
        var lost = in.intVarint();
        var start = in.position();
        var text = new String(record, start, record.length - start, StandardCharsets.UTF_8);
        var url = CrawlUrl.fromStored(text, key);
        return new QueuedUrl(
                new AcceptedUrl(job, url, hop, depth, hops, parent, rank, foundAt, last, memo),
                respelled,
                attempts,
                lost,
                time);
    }

    /** Encodes a host's state without its name. */
    static byte[] write(HostState host) {
        var out = new VarintWriter(48);
        out.varint(host.lastEnded())
                .octet(host.rest().ordinal())
                .varint(host.restUntil())
                .varint(host.failures())
                .varint(host.probes())
                .varint(host.crawlDelay())
                .varint(host.pages())
                .varint(host.smoothedResponseTime());
        host.rateLimitProbe().forEach(out::varint);
        return Arrays.copyOf(out.array(), out.length());
    }

    /** Returns the state of a host as if it had just responded. */
    static HostState withFailuresReset(HostState host) {
        var rested = host.rest() == Rest.CIRCUIT_BREAKER;
        return new HostState(
                host.host(),
                host.lastEnded(),
                rested ? Rest.NONE : host.rest(),
                rested ? 0 : host.restUntil(),
                0,
                0,
                host.crawlDelay(),
                host.pages(),
                host.smoothedResponseTime(),
                host.rateLimitProbe());
    }

    /** Decodes a host's state. An empty record is a host that was never requested. */
    static HostState readHost(String host, byte[] record) {
        if (record.length == 0) {
            return new HostState(host, 0, Rest.NONE, 0, 0, 0, 0, 0, 0, List.of());
        }
        var in = new VarintReader(record, 0, record.length);
        var lastEnded = in.varint();
        var rest = RESTS[in.octet()];
        var restUntil = in.varint();
        var failures = in.intVarint();
        var probes = in.intVarint();
        var delay = in.varint();
        var pages = in.intVarint();
        var response = in.intVarint();
        var pace = new ArrayList<Long>();
        while (in.hasNext()) {
            pace.add(in.varint());
        }
        return new HostState(
                host, lastEnded, rest, restUntil, failures, probes, delay, pages, response, pace);
    }
}
