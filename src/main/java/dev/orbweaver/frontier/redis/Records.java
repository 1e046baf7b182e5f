package dev.orbweaver.frontier.redis;

import dev.orbweaver.frontier.FrontierEvent.Accepted;
import dev.orbweaver.frontier.FrontierEvent.HostState;
import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.FrontierEvent.Restored;
import dev.orbweaver.frontier.PackedIn;
import dev.orbweaver.frontier.PackedOut;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * URLs and hosts as bytes. Of a URL the scripts read the beginning: the band as a digit, thirteen
 * digits of the time before which it must not be asked for, ten bytes of fingerprint. The rest, and
 * the whole of a host's state, is nothing to them.
 */
@SuppressWarnings("EnumOrdinal") // Constants are only ever added at the end.
final class Records {

    /** The latest time that thirteen digits hold: the year 2286. */
    static final long TIME_MAX = 9_999_999_999_999L;

    private static final int TIME_DIGITS = 13;
    private static final int HEAD = 1 + TIME_DIGITS;
    private static final Hop[] HOPS = Hop.values();
    private static final Rest[] RESTS = Rest.values();

    private Records() {}

    /** A URL as it is kept. */
    static byte[] write(Restored url) {
        var facts = url.url();
        var out = new PackedOut(64 + facts.url().text().length());
        out.octet('0' + facts.band());
        var time = Math.clamp(url.notBefore(), 0, TIME_MAX);
        out.bytes(String.format("%013d", time).getBytes(StandardCharsets.US_ASCII), 0, TIME_DIGITS);
        return tail(out, url);
    }

    /** The same from the fingerprint on, for a URL whose band is yet to be chosen. */
    static byte[] writeTail(Restored url) {
        return tail(new PackedOut(64 + url.url().url().text().length()), url);
    }

    private static byte[] tail(PackedOut out, Restored url) {
        var facts = url.url();
        var text = facts.url().text().getBytes(StandardCharsets.UTF_8);
        out.bigEndian(facts.url().key().high(), Long.BYTES)
                .bigEndian(facts.url().key().low(), Short.BYTES)
                .octet(facts.hop().ordinal())
                .number(facts.depth())
                .number(facts.hops())
                .number(facts.parent())
                .number(facts.foundAt())
                .octet(url.respelled() ? 1 : 0)
                .number(url.attempts())
                .number(url.lost())
                .bytes(text, 0, text.length);
        return Arrays.copyOf(out.array(), out.length());
    }

    /** Reads a URL of a job. */
    static Restored read(int job, byte[] record) {
        var band = record[0] - '0';
        var time = Long.parseLong(new String(record, 1, TIME_DIGITS, StandardCharsets.US_ASCII));
        var in = new PackedIn(record, HEAD, record.length);
        var key = new Fingerprint(in.bigEndian(Long.BYTES), (short) in.bigEndian(Short.BYTES));
        var hop = HOPS[in.octet()];
        var depth = in.integer();
        var hops = in.integer();
        var parent = in.number();
        var foundAt = in.number();
        var respelled = in.octet() == 1;
        var attempts = in.integer();
        var lost = in.integer();
        var start = in.position();
        var text = new String(record, start, record.length - start, StandardCharsets.UTF_8);
        var url = CrawlUrl.restored(text, key);
        return new Restored(
                new Accepted(job, url, hop, depth, hops, parent, band, foundAt),
                respelled,
                attempts,
                lost,
                time);
    }

    /** A host's state as it is kept; its name is not in it. */
    static byte[] write(HostState host) {
        var out = new PackedOut(48);
        out.number(host.lastEnded())
                .octet(host.rest().ordinal())
                .number(host.restUntil())
                .number(host.failures())
                .number(host.probes())
                .number(host.delay())
                .number(host.pages())
                .number(host.response());
        host.pace().forEach(out::number);
        return Arrays.copyOf(out.array(), out.length());
    }

    /** The same host as one that has just answered. */
    static HostState trusted(HostState host) {
        var rested = host.rest() == Rest.BREAKER;
        return new HostState(
                host.host(),
                host.lastEnded(),
                rested ? Rest.NONE : host.rest(),
                rested ? 0 : host.restUntil(),
                0,
                0,
                host.delay(),
                host.pages(),
                host.response(),
                host.pace());
    }

    /** Reads a host's state; nothing at all is a host never asked. */
    static HostState readHost(String host, byte[] record) {
        if (record.length == 0) {
            return new HostState(host, 0, Rest.NONE, 0, 0, 0, 0, 0, 0, List.of());
        }
        var in = new PackedIn(record, 0, record.length);
        var lastEnded = in.number();
        var rest = RESTS[in.octet()];
        var restUntil = in.number();
        var failures = in.integer();
        var probes = in.integer();
        var delay = in.number();
        var pages = in.integer();
        var response = in.integer();
        var pace = new ArrayList<Long>();
        while (in.hasNext()) {
            pace.add(in.number());
        }
        return new HostState(
                host, lastEnded, rest, restUntil, failures, probes, delay, pages, response, pace);
    }
}
