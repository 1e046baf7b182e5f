package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierEvent.Health;
import dev.orbweaver.internal.frontier.FrontierEvent.HostUpdate;
import dev.orbweaver.internal.frontier.FrontierEvent.Rest;
import dev.orbweaver.internal.frontier.LastResult;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
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
                    Fixture.url("http://a/"),
                    Fixture.url("https://[2001:db8::1]:65535/x?y=%00|{}"),
                    Fixture.url("http://h.example/" + "x".repeat(8000)));

    private static HostUpdate touch(long n) {
        var healths = Health.values();
        var rests = Rest.values();
        return new HostUpdate(
                n,
                healths[(int) (n & 0xFF) % healths.length],
                rests[(int) (n & 0xFF) % rests.length],
                -n,
                n);
    }

    private static AcceptedUrl accepted(long n, CrawlUrl url) {
        var i = (int) n;
        var hop = Hop.values()[(int) (n & 0xFF) % Hop.values().length];
        return new AcceptedUrl(
                i,
                url,
                hop,
                -i,
                i,
                CaptureRef.unpack(n & ((1L << 53) - 1)),
                i & 3,
                -n,
                LastResult.values()[(int) (n & 0xFF) % LastResult.values().length]);
    }

    /** Returns one event of every kind, filled with a number. */
    private static List<FrontierEvent> samples(long n, CrawlUrl url) {
        var i = (int) n;
        var flag = (n & 1) == 1;
        var why = Refusal.values()[(int) (n & 0xFF) % Refusal.values().length];
        var cause = FailureCause.values()[(int) (n & 0xFF) % FailureCause.values().length];
        var queuedUrl = new QueuedUrl(accepted(n, url), flag, i, -i, n);
        var keys =
                IntStream.range(0, i & 0xFFF)
                        .mapToObj(k -> new Fingerprint(n * k, (short) k))
                        .toList();
        return List.of(
                new FrontierEvent.Accepted(accepted(n, url)),
                new FrontierEvent.Duplicates(i, n),
                new FrontierEvent.LinksRefused(i, why, n),
                new FrontierEvent.Leased(url.host(), i, -i, -n, n, -n),
                new FrontierEvent.Extended(n, -n),
                new FrontierEvent.Released(n, n, touch(n)),
                new FrontierEvent.LeaseExpired(n, touch(n)),
                new FrontierEvent.Done(n, flag, -n, touch(n)),
                new FrontierEvent.RedirectedToEquivalent(n, url, touch(n)),
                new FrontierEvent.OtherHostRequested(n, url.host(), -n),
                new FrontierEvent.Retried(n, -n, touch(n)),
                new FrontierEvent.DeadLettered(n, cause, touch(n)),
                new FrontierEvent.Withdrawn(n, why, touch(n)),
                new FrontierEvent.CrawlDelaySet("", n),
                new FrontierEvent.RequestedElsewhere("", -n),
                new FrontierEvent.ClockSetBack(n),
                new FrontierEvent.Downtime(n),
                new FrontierEvent.LengthCommitted(
                        new CommittedLength(
                                "Übersicht/…\u0000|\uD83D\uDD78.warc", n, (int) (n * 31))),
                new FrontierEvent.Seen(i, keys),
                new FrontierEvent.Seed(i, url),
                new FrontierEvent.QueuedUrlState(queuedUrl),
                new FrontierEvent.DeadLetterState(queuedUrl, cause),
                new FrontierEvent.LeaseState(queuedUrl, n, -n),
                new FrontierEvent.HostState(
                        url.host(),
                        n,
                        Rest.CIRCUIT_BREAKER,
                        -n,
                        i,
                        -i,
                        n,
                        -i,
                        i,
                        List.of(n, 0L, -n)),
                new FrontierEvent.JobDeleted(i, n),
                new FrontierEvent.LinksDeferred(i, n),
                new FrontierEvent.DeferredLinksOffered(i, n),
                new FrontierEvent.BufferFlushed(n),
                new FrontierEvent.DeferredLinksState(i, n, -n),
                new FrontierEvent.Requeued(queuedUrl, cause, -n),
                new FrontierEvent.FileState("segment-7", n, -n, n),
                new FrontierEvent.QueueState(
                        url.host(),
                        i,
                        -i,
                        i,
                        List.of(
                                new FrontierEvent.RankCounts(i, 0, 1),
                                new FrontierEvent.RankCounts(0, -i, i)),
                        flag,
                        !flag),
                new FrontierEvent.AcceptedForLater(queuedUrl.url(), n),
                new FrontierEvent.RevisitQueued(accepted(n, url), n),
                new FrontierEvent.Visited(i, keys),
                new FrontierEvent.MatchingAccepted(i, "type:image /ü/", n),
                new FrontierEvent.SeedsRead(i, new SeedPosition("000001-ü.list", n, -n, n)),
                new FrontierEvent.Excluded(i, url.host(), flag),
                new FrontierEvent.SnapshotEnd(i, -n, n),
                new FrontierEvent.CountersState(
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
            events.add(new FrontierEvent.LinksRefused(0, why, 1));
        }
        for (var cause : FailureCause.values()) {
            events.add(new FrontierEvent.DeadLettered(1, cause, touch(1)));
        }
        for (var health : Health.values()) {
            for (var rest : Rest.values()) {
                events.add(
                        new FrontierEvent.LeaseExpired(1, new HostUpdate(1, health, rest, 1, 1)));
            }
        }
        var writer = new EventWriter();
        events.forEach(writer::write);
        var reader = new EventReader(writer.array(), 0, writer.length());
        events.forEach(event -> assertThat(reader.next()).isEqualTo(event));
    }
}
