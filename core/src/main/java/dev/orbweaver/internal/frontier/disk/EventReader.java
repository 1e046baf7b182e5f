package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierEvent.Health;
import dev.orbweaver.internal.frontier.FrontierEvent.HostUpdate;
import dev.orbweaver.internal.frontier.FrontierEvent.Rest;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.frontier.VarintReader;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the events that {@link EventWriter} wrote. The bytes have passed their checksum, so an
 * invalid value is a programming error.
 */
final class EventReader {

    private static final Hop[] HOPS = Hop.values();
    private static final Refusal[] REFUSALS = Refusal.values();
    private static final FailureCause[] CAUSES = FailureCause.values();
    private static final Rest[] RESTS = Rest.values();
    private static final Health[] HEALTHS = Health.values();

    private final VarintReader in;

    EventReader(byte[] bytes, int start, int end) {
        this.in = new VarintReader(bytes, start, end);
    }

    boolean hasNext() {
        return in.hasNext();
    }

    FrontierEvent next() {
        var tag = in.octet();
        return switch (tag) {
            case 1 -> new FrontierEvent.Accepted(accepted());
            case 39 -> new FrontierEvent.RevisitQueued(accepted(), number());
            case 2 -> new FrontierEvent.Duplicates(integer(), number());
            case 3 -> new FrontierEvent.LinksRefused(integer(), REFUSALS[integer()], number());
            case 4 ->
                    new FrontierEvent.Leased(
                            text(), integer(), integer(), number(), number(), number());
            case 5 -> new FrontierEvent.Extended(number(), number());
            case 6 -> new FrontierEvent.Released(number(), number(), hostUpdate());
            case 7 -> new FrontierEvent.LeaseExpired(number(), hostUpdate());
            case 8 -> new FrontierEvent.Done(number(), flag(), number(), hostUpdate());
            case 9 -> new FrontierEvent.Retried(number(), number(), hostUpdate());
            case 10 -> new FrontierEvent.DeadLettered(number(), CAUSES[integer()], hostUpdate());
            case 11 -> new FrontierEvent.Withdrawn(number(), REFUSALS[integer()], hostUpdate());
            case 12 -> new FrontierEvent.CrawlDelaySet(text(), number());
            case 13 ->
                    new FrontierEvent.LengthCommitted(
                            new CommittedLength(text(), number(), (int) number()));
            case 14 -> new FrontierEvent.Seen(integer(), keys());
            case 15 -> new FrontierEvent.Seed(integer(), url());
            case 16 -> new FrontierEvent.QueuedUrlState(queuedUrl());
            case 17 -> new FrontierEvent.DeadLetterState(queuedUrl(), CAUSES[integer()]);
            case 18 -> host();
            case 19 -> counters();
            case 20 -> new FrontierEvent.RedirectedToEquivalent(number(), url(), hostUpdate());
            case 21 -> new FrontierEvent.OtherHostRequested(number(), text(), number());
            case 22 -> new FrontierEvent.LeaseState(queuedUrl(), number(), number());
            case 23 -> new FrontierEvent.ClockSetBack(number());
            case 24 -> new FrontierEvent.JobDeleted(integer(), number());
            case 25 -> new FrontierEvent.FileState(text(), number(), number(), number());
            case 26 -> queue();
            case 27 -> new FrontierEvent.SnapshotEnd(integer(), number(), number());
            case 29 -> new FrontierEvent.LinksDeferred(integer(), number());
            case 30 -> new FrontierEvent.DeferredLinksOffered(integer(), number());
            case 31 -> new FrontierEvent.DeferredLinksState(integer(), number(), number());
            case 28 -> new FrontierEvent.Requeued(queuedUrl(), CAUSES[integer()], number());
            case 32 -> new FrontierEvent.Downtime(number());
            case 33 -> new FrontierEvent.BufferFlushed(number());
            case 34 -> new FrontierEvent.Excluded(integer(), text(), flag());
            case 35 -> new FrontierEvent.AcceptedForLater(accepted(), number());
            case 36 -> new FrontierEvent.Visited(integer(), keys());
            case 37 ->
                    new FrontierEvent.SeedsRead(
                            integer(), new SeedPosition(text(), number(), number(), number()));
            case 38 -> new FrontierEvent.RequestedElsewhere(text(), number());
            case 40 -> new FrontierEvent.MatchingAccepted(integer(), text(), number());
            default -> throw new IllegalStateException("unknown event tag " + tag);
        };
    }

    private AcceptedUrl accepted() {
        var job = integer();
        var url = url();
        var hop = HOPS[integer()];
        var depth = integer();
        var hops = integer();
        var parent = number();
        return new AcceptedUrl(
                job,
                url,
                hop,
                depth,
                hops,
                AcceptedUrl.parent(parent),
                integer(),
                number(),
                AcceptedUrl.last(parent));
    }

    private QueuedUrl queuedUrl() {
        return new QueuedUrl(accepted(), flag(), integer(), integer(), number());
    }

    private List<Fingerprint> keys() {
        var count = integer();
        var keys = new ArrayList<Fingerprint>(count);
        for (var i = 0; i < count; i++) {
            keys.add(key());
        }
        return keys;
    }

    private FrontierEvent host() {
        return new FrontierEvent.HostState(
                text(),
                number(),
                RESTS[integer()],
                number(),
                integer(),
                integer(),
                number(),
                integer(),
                integer(),
                numbers());
    }

    private FrontierEvent queue() {
        var host = text();
        var job = integer();
        var id = integer();
        var accepted = integer();
        var count = integer();
        var ranks = new ArrayList<FrontierEvent.RankCounts>(count);
        for (var i = 0; i < count; i++) {
            ranks.add(new FrontierEvent.RankCounts(integer(), integer(), integer()));
        }
        return new FrontierEvent.QueueState(host, job, id, accepted, ranks, flag(), flag());
    }

    private FrontierEvent counters() {
        return new FrontierEvent.CountersState(
                integer(), number(), number(), number(), number(), number(), number(), numbers(),
                numbers());
    }

    private List<Long> numbers() {
        var count = integer();
        var numbers = new ArrayList<Long>(count);
        for (var i = 0; i < count; i++) {
            numbers.add(number());
        }
        return numbers;
    }

    private HostUpdate hostUpdate() {
        return new HostUpdate(number(), HEALTHS[integer()], RESTS[integer()], number(), number());
    }

    private CrawlUrl url() {
        var text = text();
        return CrawlUrl.fromStored(text, key());
    }

    private Fingerprint key() {
        return new Fingerprint(in.bigEndian(Long.BYTES), (short) in.bigEndian(Short.BYTES));
    }

    private boolean flag() {
        return number() != 0;
    }

    private int integer() {
        return in.intVarint();
    }

    private long number() {
        return in.varint();
    }

    private String text() {
        var bytes = new byte[integer()];
        in.bytes(bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
