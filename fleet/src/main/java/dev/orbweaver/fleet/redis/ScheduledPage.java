package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.QueuedUrl;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A page that is visited again later, as it is stored in its shard: due time, rank, host, and the
 * record of the URL without its head.
 */
record ScheduledPage(QueuedUrl url, Instant due) {

    /** Due times are seconds since then. */
    static final Instant EPOCH = Instant.parse("2020-01-01T00:00:00Z");

    private static final int HEAD = Integer.BYTES + 2;

    static long seconds(Instant time) {
        return Math.clamp(time.getEpochSecond() - EPOCH.getEpochSecond(), 0, Integer.MAX_VALUE);
    }

    static Instant instant(long seconds) {
        return EPOCH.plusSeconds(seconds);
    }

    byte[] encode() {
        var host = url.url().url().host().getBytes(StandardCharsets.UTF_8);
        var record = RedisRecordCodec.writeWithoutHead(url);
        return ByteBuffer.allocate(HEAD + host.length + record.length)
                .putInt((int) seconds(due))
                .put((byte) RedisRecordCodec.letter(url.url().rank()))
                .put((byte) host.length)
                .put(host)
                .put(record)
                .array();
    }

    static ScheduledPage decode(int job, byte[] page) {
        var from = HEAD + (page[HEAD - 1] & 0xFF);
        var record = ByteBuffer.allocate(RedisRecordCodec.HEAD + page.length - from);
        record.put(page[Integer.BYTES])
                .put("0".repeat(RedisRecordCodec.TIME_DIGITS).getBytes(StandardCharsets.US_ASCII))
                .put(page, from, page.length - from);
        return new ScheduledPage(
                RedisRecordCodec.read(job, record.array()),
                instant(ByteBuffer.wrap(page).getInt()));
    }
}
