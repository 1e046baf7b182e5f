package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.frontier.PackedIn;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads back what {@link EventWriter} wrote. The bytes have passed their checksum, so nonsense in
 * them is an error of ours.
 */
final class EventReader {

    private static final Hop[] HOPS = Hop.values();
    private static final Refusal[] REFUSALS = Refusal.values();
    private static final FailureCause[] CAUSES = FailureCause.values();
    private static final Rest[] RESTS = Rest.values();
    private static final Health[] HEALTHS = Health.values();

    private final PackedIn in;

    EventReader(byte[] bytes, int start, int end) {
        this.in = new PackedIn(bytes, start, end);
    }

    boolean hasNext() {
        return in.hasNext();
    }

    FrontierEvent next() {
        var tag = in.octet();
        return switch (tag) {
            case 1 -> accepted();
            case 2 -> new FrontierEvent.Duplicates(integer(), number());
            case 3 -> new FrontierEvent.TurnedAway(integer(), REFUSALS[integer()], number());
            case 4 ->
                    new FrontierEvent.Leased(
                            text(), integer(), integer(), number(), number(), number());
            case 5 -> new FrontierEvent.Extended(number(), number());
            case 6 -> new FrontierEvent.Released(number(), number(), touch());
            case 7 -> new FrontierEvent.Lost(number(), touch());
            case 8 -> new FrontierEvent.Done(number(), flag(), number(), touch());
            case 9 -> new FrontierEvent.Retried(number(), number(), touch());
            case 10 -> new FrontierEvent.Died(number(), CAUSES[integer()], touch());
            case 11 -> new FrontierEvent.Withdrew(number(), REFUSALS[integer()], touch());
            case 12 -> new FrontierEvent.SlowedDown(text(), number());
            case 13 -> new FrontierEvent.Marked(new FileMark(text(), number(), (int) number()));
            case 14 -> seen();
            case 15 -> new FrontierEvent.Seed(integer(), url());
            case 16 -> restored();
            case 17 -> new FrontierEvent.Buried(restored(), CAUSES[integer()]);
            case 18 -> host();
            case 19 -> counters();
            case 20 -> new FrontierEvent.Respelled(number(), url(), touch());
            case 21 -> new FrontierEvent.Visiting(number(), text(), number());
            case 22 -> new FrontierEvent.Held(restored(), number(), number());
            case 23 -> new FrontierEvent.ClockSetBack(number());
            case 24 -> new FrontierEvent.JobDeleted(integer(), number());
            case 25 -> new FrontierEvent.Filed(text(), number(), number(), number());
            case 26 -> queue();
            case 27 -> new FrontierEvent.End(integer(), number(), number());
            case 29 -> new FrontierEvent.LinksDeferred(integer(), number());
            case 30 -> new FrontierEvent.LinksTakenUp(integer(), number());
            case 31 -> new FrontierEvent.Deferred(integer(), number(), number());
            case 28 -> new FrontierEvent.Revived(restored(), CAUSES[integer()], number());
            case 32 -> new FrontierEvent.Absent(number());
            case 33 -> new FrontierEvent.Shelved(number());
            case 34 -> new FrontierEvent.Excluded(integer(), text(), flag());
            default -> throw new IllegalStateException("unknown event tag " + tag);
        };
    }

    private FrontierEvent.Accepted accepted() {
        return new FrontierEvent.Accepted(
                integer(),
                url(),
                HOPS[integer()],
                integer(),
                integer(),
                number(),
                integer(),
                number());
    }

    private FrontierEvent.Restored restored() {
        return new FrontierEvent.Restored(accepted(), flag(), integer(), integer(), number());
    }

    private FrontierEvent seen() {
        var job = integer();
        var count = integer();
        var keys = new ArrayList<Fingerprint>(count);
        for (var i = 0; i < count; i++) {
            keys.add(key());
        }
        return new FrontierEvent.Seen(job, keys);
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
        var waiting = List.of(integer(), integer(), integer(), integer());
        var taken = List.of(integer(), integer(), integer(), integer());
        return new FrontierEvent.QueueState(host, job, id, accepted, waiting, taken, flag());
    }

    private FrontierEvent counters() {
        return new FrontierEvent.Counters(
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

    private Touch touch() {
        return new Touch(number(), HEALTHS[integer()], RESTS[integer()], number(), number());
    }

    private CrawlUrl url() {
        var text = text();
        return CrawlUrl.restored(text, key());
    }

    private Fingerprint key() {
        return new Fingerprint(in.bigEndian(Long.BYTES), (short) in.bigEndian(Short.BYTES));
    }

    private boolean flag() {
        return number() != 0;
    }

    private int integer() {
        return in.integer();
    }

    private long number() {
        return in.number();
    }

    private String text() {
        var bytes = new byte[integer()];
        in.bytes(bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
