package dev.orbweaver.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.frontier.Scene;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

@SuppressWarnings("EnumOrdinal") // Constants are picked by number, as the format does.
class EventCodecTest {

    private static final List<Long> NUMBERS =
            List.of(0L, 1L, 127L, 128L, 16_383L, 16_384L, Long.MAX_VALUE, -1L, Long.MIN_VALUE);
    private static final List<CrawlUrl> URLS =
            List.of(
                    Scene.url("http://a/"),
                    Scene.url("https://[2001:db8::1]:65535/x?y=%00|{}"),
                    Scene.url("http://h.example/" + "x".repeat(8000)));

    private static Touch touch(long n) {
        var healths = Health.values();
        var rests = Rest.values();
        return new Touch(
                n,
                healths[(int) (n & 0xFF) % healths.length],
                rests[(int) (n & 0xFF) % rests.length],
                -n,
                n);
    }

    private static FrontierEvent.Accepted accepted(long n, CrawlUrl url) {
        var i = (int) n;
        var hop = Hop.values()[(int) (n & 0xFF) % Hop.values().length];
        return new FrontierEvent.Accepted(i, url, hop, -i, i, n, i & 3, -n);
    }

    /** One event of every kind, filled with a number. */
    private static List<FrontierEvent> samples(long n, CrawlUrl url) {
        var i = (int) n;
        var flag = (n & 1) == 1;
        var why = Refusal.values()[(int) (n & 0xFF) % Refusal.values().length];
        var cause = FailureCause.values()[(int) (n & 0xFF) % FailureCause.values().length];
        var restored = new FrontierEvent.Restored(accepted(n, url), flag, i, -i, n);
        var keys = IntStream.range(0, i & 0xFFF).mapToObj(k -> new Fingerprint(n * k, (short) k));
        return List.of(
                accepted(n, url),
                new FrontierEvent.Duplicates(i, n),
                new FrontierEvent.TurnedAway(i, why, n),
                new FrontierEvent.Leased(url.host(), i, -i, -n, n, -n),
                new FrontierEvent.Extended(n, -n),
                new FrontierEvent.Released(n, n, touch(n)),
                new FrontierEvent.Lost(n, touch(n)),
                new FrontierEvent.Done(n, flag, -n, touch(n)),
                new FrontierEvent.Respelled(n, url, touch(n)),
                new FrontierEvent.Visiting(n, url.host(), -n),
                new FrontierEvent.Retried(n, -n, touch(n)),
                new FrontierEvent.Died(n, cause, touch(n)),
                new FrontierEvent.Withdrew(n, why, touch(n)),
                new FrontierEvent.SlowedDown("", n),
                new FrontierEvent.ClockSetBack(n),
                new FrontierEvent.Absent(n),
                new FrontierEvent.Marked(
                        new FileMark("Übersicht/…\u0000|\uD83D\uDD78.warc", n, (int) (n * 31))),
                new FrontierEvent.Seen(i, keys.toList()),
                new FrontierEvent.Seed(i, url),
                restored,
                new FrontierEvent.Buried(restored, cause),
                new FrontierEvent.Held(restored, n, -n),
                new FrontierEvent.HostState(
                        url.host(), n, Rest.BREAKER, -n, i, -i, n, -i, i, List.of(n, 0L, -n)),
                new FrontierEvent.JobDeleted(i, n),
                new FrontierEvent.LinksDeferred(i, n),
                new FrontierEvent.LinksTakenUp(i, n),
                new FrontierEvent.Shelved(n),
                new FrontierEvent.Deferred(i, n, -n),
                new FrontierEvent.Revived(restored, cause, -n),
                new FrontierEvent.Filed("segment-7", n, -n, n),
                new FrontierEvent.QueueState(
                        url.host(), i, -i, i, List.of(i, 0, 1, -i), List.of(0, i, -i, 2), flag),
                new FrontierEvent.Excluded(i, url.host(), flag),
                new FrontierEvent.End(i, -n, n),
                new FrontierEvent.Counters(
                        i, n, -n, n, -n, n, -n, List.of(n, -n, 0L), List.of(0L, n)));
    }

    @Test
    void everyKindOfEventComesBackAsItWasWhateverItsNumbers() {
        var events = new ArrayList<FrontierEvent>();
        NUMBERS.forEach(n -> URLS.forEach(url -> events.addAll(samples(n, url))));
        var writer = new EventWriter();
        events.forEach(writer::write);
        var reader = new EventReader(writer.array(), 0, writer.length());
        for (var event : events) {
            assertThat(reader.next()).isEqualTo(event);
        }
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void noKindOfEventIsForgottenHere() {
        var kinds =
                samples(1, URLS.getFirst()).stream()
                        .<Class<?>>map(Object::getClass)
                        .collect(Collectors.toSet());
        assertThat(kinds).isEqualTo(Set.of(FrontierEvent.class.getPermittedSubclasses()));
    }

    @Test
    void everyConstantThatIsKeptByPositionHasAPosition() {
        var events = new ArrayList<FrontierEvent>();
        for (var why : Refusal.values()) {
            events.add(new FrontierEvent.TurnedAway(0, why, 1));
        }
        for (var cause : FailureCause.values()) {
            events.add(new FrontierEvent.Died(1, cause, touch(1)));
        }
        for (var health : Health.values()) {
            for (var rest : Rest.values()) {
                events.add(new FrontierEvent.Lost(1, new Touch(1, health, rest, 1, 1)));
            }
        }
        var writer = new EventWriter();
        events.forEach(writer::write);
        var reader = new EventReader(writer.array(), 0, writer.length());
        events.forEach(event -> assertThat(reader.next()).isEqualTo(event));
    }
}
