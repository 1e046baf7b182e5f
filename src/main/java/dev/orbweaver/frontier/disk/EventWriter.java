package dev.orbweaver.frontier.disk;

import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.model.CrawlUrl;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

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

    private byte[] bytes = new byte[1 << 16];
    private int length;

    /** Leaves room at the front for what is known only at the end. */
    EventWriter reserve(int count) {
        ensure(count);
        length += count;
        return this;
    }

    void clear() {
        length = 0;
    }

    int length() {
        return length;
    }

    byte[] array() {
        return bytes;
    }

    ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes, 0, length);
    }

    void write(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Accepted e -> accepted(tag(1), e);
            case FrontierEvent.Duplicates e -> tag(2).number(e.count());
            case FrontierEvent.TurnedAway e -> tag(3).constant(e.why()).number(e.count());
            case FrontierEvent.Leased e ->
                    tag(4).text(e.host())
                            .number(e.urlId())
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
            case FrontierEvent.Marked e -> tag(13).text(e.name()).number(e.length());
            case FrontierEvent.Respelled e ->
                    tag(20).number(e.token()).url(e.url()).touch(e.touch());
            case FrontierEvent.Visiting e ->
                    tag(21).number(e.token()).text(e.host()).number(e.at());
            case FrontierEvent.ClockSetBack e -> tag(23).number(e.by());
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
                .number(e.id())
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
                .number(e.pages());
    }

    private void counters(FrontierEvent.Counters e) {
        tag(19).number(e.lastId())
                .number(e.lastToken())
                .number(e.latest())
                .number(e.duplicates())
                .number(e.accepted())
                .number(e.done())
                .number(e.withdrawn())
                .number(e.pages())
                .number(e.bytes())
                .number(e.refused().size());
        e.refused().forEach(this::number);
    }

    private EventWriter tag(int tag) {
        ensure(1);
        bytes[length++] = (byte) tag;
        return this;
    }

    private EventWriter touch(Touch touch) {
        return number(touch.ended())
                .constant(touch.health())
                .constant(touch.rest())
                .number(touch.until());
    }

    private EventWriter url(CrawlUrl url) {
        text(url.text());
        return key(url.key().high(), url.key().low());
    }

    private EventWriter key(long high, short low) {
        ensure(10);
        for (var shift = 56; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (high >>> shift);
        }
        bytes[length++] = (byte) (low >>> 8);
        bytes[length++] = (byte) low;
        return this;
    }

    private EventWriter constant(Enum<?> value) {
        return number(value.ordinal());
    }

    private EventWriter flag(boolean value) {
        return number(value ? 1 : 0);
    }

    private EventWriter number(long value) {
        ensure(10);
        var rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    private EventWriter text(String value) {
        var encoded = value.getBytes(StandardCharsets.UTF_8);
        number(encoded.length);
        ensure(encoded.length);
        System.arraycopy(encoded, 0, bytes, length, encoded.length);
        length += encoded.length;
        return this;
    }

    private void ensure(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
