package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.FrontierEvent;
import dev.orbweaver.internal.frontier.FrontierEvent.HostUpdate;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.VarintWriter;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes events as bytes: a tag, then the fields in order. Numbers are in 7-bit groups, texts are
 * length and UTF-8, enums are ordinals. {@link EventReader} reads them, and docs/formats.md
 * describes the format.
 */
@SuppressWarnings({
    "EnumOrdinal",
    "CheckReturnValue"
}) // The format uses ordinals; results of call chains are unused.
final class EventWriter {

    private final VarintWriter out = new VarintWriter(1 << 16);

    /** Reserves space at the front for values that are known only at the end. */
    EventWriter reserve(int count) {
        out.reserve(count);
        return this;
    }

    void truncate(int length) {
        out.truncate(length);
    }

    int length() {
        return out.length();
    }

    byte[] array() {
        return out.array();
    }

    ByteBuffer buffer() {
        return ByteBuffer.wrap(out.array(), 0, out.length());
    }

    void write(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted(var url) -> accepted(tag(1), url);
            case FrontierEvent.AcceptedForLater(var url, var notBefore) ->
                    accepted(tag(35), url).number(notBefore);
            case FrontierEvent.Visited e -> keys(tag(36).number(e.job()), e.keys());
            case FrontierEvent.SeedsRead(var job, var position) ->
                    tag(37).number(job)
                            .text(position.list())
                            .number(position.bytes())
                            .number(position.lines())
                            .number(position.malformed());
            case FrontierEvent.RevisitQueued(var url, var notBefore) ->
                    accepted(tag(39), url).number(notBefore);
            case FrontierEvent.MatchingAccepted e ->
                    tag(40).number(e.job()).text(e.name()).number(e.count());
            case FrontierEvent.Duplicates e -> tag(2).number(e.job()).number(e.count());
            case FrontierEvent.LinksRefused e ->
                    tag(3).number(e.job()).constant(e.reason()).number(e.count());
            case FrontierEvent.Leased e ->
                    tag(4).text(e.host())
                            .number(e.job())
                            .number(e.urlCheck())
                            .number(e.token())
                            .number(e.at())
                            .number(e.deadline());
            case FrontierEvent.Extended e -> tag(5).number(e.token()).number(e.deadline());
            case FrontierEvent.Released e ->
                    tag(6).number(e.token()).number(e.notBefore()).hostUpdate(e.hostUpdate());
            case FrontierEvent.LeaseExpired e ->
                    tag(7).number(e.token()).hostUpdate(e.hostUpdate());
            case FrontierEvent.Done e ->
                    tag(8).number(e.token())
                            .flag(e.page())
                            .number(e.bytes())
                            .hostUpdate(e.hostUpdate());
            case FrontierEvent.Retried e ->
                    tag(9).number(e.token()).number(e.notBefore()).hostUpdate(e.hostUpdate());
            case FrontierEvent.DeadLettered e ->
                    tag(10).number(e.token()).constant(e.cause()).hostUpdate(e.hostUpdate());
            case FrontierEvent.Withdrawn e ->
                    tag(11).number(e.token()).constant(e.reason()).hostUpdate(e.hostUpdate());
            case FrontierEvent.CrawlDelaySet e -> tag(12).text(e.host()).number(e.delay());
            case FrontierEvent.RequestedElsewhere e -> tag(38).text(e.host()).number(e.at());
            case FrontierEvent.LengthCommitted(var mark) ->
                    tag(13).text(mark.name())
                            .number(mark.length())
                            .number(Integer.toUnsignedLong(mark.checksum()));
            case FrontierEvent.RedirectedToEquivalent e ->
                    tag(20).number(e.token()).url(e.url()).hostUpdate(e.hostUpdate());
            case FrontierEvent.OtherHostRequested e ->
                    tag(21).number(e.token()).text(e.host()).number(e.at());
            case FrontierEvent.ClockSetBack e -> tag(23).number(e.by());
            case FrontierEvent.Downtime e -> tag(32).number(e.by());
            case FrontierEvent.JobDeleted e -> tag(24).number(e.job()).number(e.at());
            case FrontierEvent.LinksDeferred e -> tag(29).number(e.job()).number(e.capture());
            case FrontierEvent.Excluded e ->
                    tag(34).number(e.job()).text(e.host()).flag(e.excluded());
            case FrontierEvent.BufferFlushed e -> tag(33).number(e.segment());
            case FrontierEvent.DeferredLinksOffered e ->
                    tag(30).number(e.job()).number(e.capture());
            case FrontierEvent.DeferredLinksState e ->
                    tag(31).number(e.job()).number(e.captures()).number(e.lastOfferedCapture());
            case FrontierEvent.Requeued e ->
                    queuedUrl(tag(28), e.url()).constant(e.cause()).number(e.at());
            case FrontierEvent.FileState e ->
                    tag(25).text(e.name())
                            .number(e.length())
                            .number(e.count())
                            .number(e.checksum());
            case FrontierEvent.QueueState e -> queue(e);
            case FrontierEvent.SnapshotEnd e ->
                    tag(27).number(e.lastQueue()).number(e.lastToken()).number(e.latestTime());
            case FrontierEvent.Seen e -> keys(tag(14).number(e.job()), e.keys());
            case FrontierEvent.Seed e -> tag(15).number(e.job()).url(e.url());
            case FrontierEvent.QueuedUrlState(var url) -> queuedUrl(tag(16), url);
            case FrontierEvent.DeadLetterState e -> queuedUrl(tag(17), e.url()).constant(e.cause());
            case FrontierEvent.LeaseState e ->
                    queuedUrl(tag(22), e.url()).number(e.token()).number(e.deadline());
            case FrontierEvent.HostState e -> host(e);
            case FrontierEvent.CountersState e -> counters(e);
        }
    }

    private EventWriter accepted(EventWriter out, AcceptedUrl e) {
        return out.number(e.job())
                .url(e.url())
                .constant(e.hop())
                .number(e.depth())
                .number(e.hops())
                .number(e.packedParent())
                .number(e.rank())
                .number(e.foundAt());
    }

    private EventWriter queuedUrl(EventWriter out, QueuedUrl e) {
        return accepted(out, e.url())
                .flag(e.equivalentRedirect())
                .number(e.attempts())
                .number(e.expiredLeases())
                .number(e.notBefore());
    }

    private EventWriter keys(EventWriter out, List<Fingerprint> keys) {
        out.number(keys.size());
        keys.forEach(key -> out.key(key.high(), key.low()));
        return out;
    }

    private void host(FrontierEvent.HostState e) {
        tag(18).text(e.host())
                .number(e.lastEnded())
                .constant(e.rest())
                .number(e.restUntil())
                .number(e.failures())
                .number(e.probes())
                .number(e.crawlDelay())
                .number(e.pages())
                .number(e.smoothedResponseTime())
                .numbers(e.rateLimitProbe());
    }

    private void queue(FrontierEvent.QueueState e) {
        tag(26).text(e.host()).number(e.job()).number(e.id()).number(e.accepted());
        number(e.ranks().size());
        e.ranks().forEach(each -> number(each.rank()).number(each.waiting()).number(each.taken()));
        flag(e.excluded()).flag(e.seeded());
    }

    private void counters(FrontierEvent.CountersState e) {
        tag(19).number(e.job())
                .number(e.duplicates())
                .number(e.accepted())
                .number(e.done())
                .number(e.withdrawn())
                .number(e.pages())
                .number(e.bytes())
                .numbers(e.refused())
                .numbers(e.dead());
    }

    private EventWriter numbers(List<Long> numbers) {
        number(numbers.size());
        numbers.forEach(this::number);
        return this;
    }

    private EventWriter tag(int tag) {
        out.octet(tag);
        return this;
    }

    private EventWriter hostUpdate(HostUpdate hostUpdate) {
        return number(hostUpdate.ended())
                .constant(hostUpdate.health())
                .constant(hostUpdate.rest())
                .number(hostUpdate.restUntil())
                .number(hostUpdate.responseMillis());
    }

    private EventWriter url(CrawlUrl url) {
        text(url.text());
        return key(url.key().high(), url.key().low());
    }

    private EventWriter key(long high, short low) {
        out.bigEndian(high, Long.BYTES).bigEndian(low, Short.BYTES);
        return this;
    }

    private EventWriter constant(Enum<?> value) {
        return number(value.ordinal());
    }

    private EventWriter flag(boolean value) {
        return number(value ? 1 : 0);
    }

    private EventWriter number(long value) {
        out.varint(value);
        return this;
    }

    private EventWriter text(String value) {
        var encoded = value.getBytes(StandardCharsets.UTF_8);
        out.varint(encoded.length).bytes(encoded, 0, encoded.length);
        return this;
    }
}
