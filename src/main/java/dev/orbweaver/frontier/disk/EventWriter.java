package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.frontier.PackedOut;
import dev.orbweaver.model.CrawlUrl;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes events as bytes: a tag, then the fields in order; numbers in 7-bit groups, texts as length
 * and UTF-8, enums by position. {@link EventReader} is its mirror, and docs/formats.md describes
 * both.
 */
@SuppressWarnings({
    "EnumOrdinal",
    "CheckReturnValue"
}) // Positions are the format; the chains end in nothing.
final class EventWriter {

    private final PackedOut out = new PackedOut(1 << 16);

    /** Leaves room at the front for what is known only at the end. */
    EventWriter reserve(int count) {
        out.reserve(count);
        return this;
    }

    /** Goes back to an earlier length. */
    void cut(int length) {
        out.cut(length);
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
            case FrontierEvent.Accepted e -> accepted(tag(1), e);
            case FrontierEvent.Duplicates e -> tag(2).number(e.job()).number(e.count());
            case FrontierEvent.TurnedAway e ->
                    tag(3).number(e.job()).constant(e.why()).number(e.count());
            case FrontierEvent.Leased e ->
                    tag(4).text(e.host())
                            .number(e.job())
                            .number(e.check())
                            .number(e.token())
                            .number(e.at())
                            .number(e.deadline());
            case FrontierEvent.Extended e -> tag(5).number(e.token()).number(e.deadline());
            case FrontierEvent.Released e ->
                    tag(6).number(e.token()).number(e.notBefore()).touch(e.touch());
            case FrontierEvent.Lost e -> tag(7).number(e.token()).touch(e.touch());
            case FrontierEvent.Done e ->
                    tag(8).number(e.token()).flag(e.page()).number(e.bytes()).touch(e.touch());
            case FrontierEvent.Retried e ->
                    tag(9).number(e.token()).number(e.notBefore()).touch(e.touch());
            case FrontierEvent.Died e ->
                    tag(10).number(e.token()).constant(e.cause()).touch(e.touch());
            case FrontierEvent.Withdrew e ->
                    tag(11).number(e.token()).constant(e.why()).touch(e.touch());
            case FrontierEvent.SlowedDown e -> tag(12).text(e.host()).number(e.delay());
            case FrontierEvent.Marked(var mark) ->
                    tag(13).text(mark.name())
                            .number(mark.length())
                            .number(Integer.toUnsignedLong(mark.checksum()));
            case FrontierEvent.Respelled e ->
                    tag(20).number(e.token()).url(e.url()).touch(e.touch());
            case FrontierEvent.Visiting e ->
                    tag(21).number(e.token()).text(e.host()).number(e.at());
            case FrontierEvent.ClockSetBack e -> tag(23).number(e.by());
            case FrontierEvent.Absent e -> tag(32).number(e.by());
            case FrontierEvent.JobDeleted e -> tag(24).number(e.job()).number(e.at());
            case FrontierEvent.LinksDeferred e -> tag(29).number(e.job()).number(e.capture());
            case FrontierEvent.Excluded e -> tag(34).number(e.job()).text(e.host()).flag(e.out());
            case FrontierEvent.Shelved e -> tag(33).number(e.segment());
            case FrontierEvent.LinksTakenUp e -> tag(30).number(e.job()).number(e.capture());
            case FrontierEvent.Deferred e ->
                    tag(31).number(e.job()).number(e.captures()).number(e.takenUpTo());
            case FrontierEvent.Revived e ->
                    restored(tag(28), e.url()).constant(e.cause()).number(e.at());
            case FrontierEvent.Filed e ->
                    tag(25).text(e.name()).number(e.length()).number(e.count()).number(e.sum());
            case FrontierEvent.QueueState e -> queue(e);
            case FrontierEvent.End e ->
                    tag(27).number(e.lastQueue()).number(e.lastToken()).number(e.latest());
            case FrontierEvent.Seen e -> seen(e);
            case FrontierEvent.Seed e -> tag(15).number(e.job()).url(e.url());
            case FrontierEvent.Restored e -> restored(tag(16), e);
            case FrontierEvent.Buried e -> restored(tag(17), e.url()).constant(e.cause());
            case FrontierEvent.Held e ->
                    restored(tag(22), e.url()).number(e.token()).number(e.deadline());
            case FrontierEvent.HostState e -> host(e);
            case FrontierEvent.Counters e -> counters(e);
        }
    }

    private EventWriter accepted(EventWriter out, FrontierEvent.Accepted e) {
        return out.number(e.job())
                .url(e.url())
                .constant(e.hop())
                .number(e.depth())
                .number(e.hops())
                .number(e.parent())
                .number(e.band())
                .number(e.foundAt());
    }

    private EventWriter restored(EventWriter out, FrontierEvent.Restored e) {
        return accepted(out, e.url())
                .flag(e.respelled())
                .number(e.attempts())
                .number(e.lost())
                .number(e.notBefore());
    }

    private void seen(FrontierEvent.Seen e) {
        tag(14).number(e.job()).number(e.keys().size());
        for (var key : e.keys()) {
            key(key.high(), key.low());
        }
    }

    private void host(FrontierEvent.HostState e) {
        tag(18).text(e.host())
                .number(e.lastEnded())
                .constant(e.rest())
                .number(e.restUntil())
                .number(e.failures())
                .number(e.probes())
                .number(e.delay())
                .number(e.pages())
                .number(e.response())
                .numbers(e.pace());
    }

    private void queue(FrontierEvent.QueueState e) {
        tag(26).text(e.host()).number(e.job()).number(e.id()).number(e.accepted());
        e.waiting().forEach(this::number);
        e.taken().forEach(this::number);
        flag(e.excluded());
    }

    private void counters(FrontierEvent.Counters e) {
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

    private EventWriter touch(Touch touch) {
        return number(touch.ended())
                .constant(touch.health())
                .constant(touch.rest())
                .number(touch.until())
                .number(touch.took());
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
        out.number(value);
        return this;
    }

    private EventWriter text(String value) {
        var encoded = value.getBytes(StandardCharsets.UTF_8);
        out.number(encoded.length).bytes(encoded, 0, encoded.length);
        return this;
    }
}
