package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;

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

    private final byte[] bytes;
    private final int end;
    private int position;

    EventReader(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    boolean hasNext() {
        return position < end;
    }

    FrontierEvent next() {
        var tag = bytes[position++];
        return switch (tag) {
            case 1 -> accepted();
            case 2 -> new FrontierEvent.Duplicates(number());
            case 3 -> new FrontierEvent.TurnedAway(REFUSALS[integer()], number());
            case 4 -> new FrontierEvent.Leased(text(), number(), number(), number(), number());
            case 5 -> new FrontierEvent.Extended(number(), number());
            case 6 -> new FrontierEvent.Released(number(), number(), touch());
            case 7 -> new FrontierEvent.Lost(number(), touch());
            case 8 -> new FrontierEvent.Done(number(), flag(), number(), touch());
            case 9 -> new FrontierEvent.Retried(number(), number(), touch());
            case 10 -> new FrontierEvent.Died(number(), CAUSES[integer()], touch());
            case 11 -> new FrontierEvent.Withdrew(number(), REFUSALS[integer()], touch());
            case 12 -> new FrontierEvent.SlowedDown(text(), number());
            case 13 -> new FrontierEvent.Marked(text(), number());
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
        return new FrontierEvent.Restored(
                accepted(), number(), flag(), integer(), integer(), number());
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
                number());
    }

    private FrontierEvent counters() {
        var lastId = number();
        var lastToken = number();
        var latest = number();
        var duplicates = number();
        var accepted = number();
        var done = number();
        var withdrawn = number();
        var pages = number();
        var stored = number();
        var count = integer();
        var refused = new ArrayList<Long>(count);
        for (var i = 0; i < count; i++) {
            refused.add(number());
        }
        return new FrontierEvent.Counters(
                lastId,
                lastToken,
                latest,
                duplicates,
                accepted,
                done,
                withdrawn,
                pages,
                stored,
                refused);
    }

    private Touch touch() {
        return new Touch(number(), HEALTHS[integer()], RESTS[integer()], number());
    }

    private CrawlUrl url() {
        var text = text();
        return CrawlUrl.restored(text, key());
    }

    private Fingerprint key() {
        var high = 0L;
        for (var i = 0; i < Long.BYTES; i++) {
            high = high << 8 | (bytes[position++] & 0xFF);
        }
        var low = (short) ((bytes[position] & 0xFF) << 8 | (bytes[position + 1] & 0xFF));
        position += Short.BYTES;
        return new Fingerprint(high, low);
    }

    private boolean flag() {
        return number() != 0;
    }

    private int integer() {
        return Math.toIntExact(number());
    }

    private long number() {
        var value = 0L;
        var shift = 0;
        while (true) {
            var group = bytes[position++];
            value |= (long) (group & 0x7F) << shift;
            if (group >= 0) {
                return value;
            }
            shift += 7;
        }
    }

    private String text() {
        var length = integer();
        var value = new String(bytes, position, length, StandardCharsets.UTF_8);
        position += length;
        return value;
    }
}
