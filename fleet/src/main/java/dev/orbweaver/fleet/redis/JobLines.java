package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import dev.orbweaver.model.JobId;

import io.lettuce.core.ScoredValue;
import io.lettuce.core.ZAddArgs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Lines of a job in Redis that every worker copies to a file of the job's directory. Each line is
 * stored once, and lines are only added, so a copy with their number is complete.
 */
public final class JobLines {

    /** What the lines of a job are. */
    public enum Topic {
        EXCLUDED_HOSTS("excluded-hosts"),
        REMOVED_URLS("removed-urls");

        private final String key;

        Topic(String key) {
            this.key = key;
        }
    }

    private static final int AT_ONCE = 10_000;

    private final RedisConnection connection;
    private final FleetSettings settings;

    JobLines(RedisConnection connection, FleetSettings settings) {
        this.connection = connection;
        this.settings = settings;
    }

    private byte[] key(JobId job, Topic topic) {
        return bytes("ow:{%s.job%d}:%s".formatted(settings.fleet(), job.number(), topic.key));
    }

    public long count(JobId job, Topic topic) throws IOException {
        return connection.execute(redis -> redis.zcard(key(job, topic)));
    }

    public List<String> all(JobId job, Topic topic) throws IOException {
        var all = new ArrayList<String>();
        int found;
        do {
            var from = all.size();
            connection
                    .execute(redis -> redis.zrange(key(job, topic), from, from + AT_ONCE - 1L))
                    .forEach(line -> all.add(RedisConnection.string(line)));
            found = all.size() - from;
        } while (found == AT_ONCE);
        return all;
    }

    void add(JobId job, Topic topic, Collection<String> lines) throws IOException {
        var some = new ArrayList<ScoredValue<byte[]>>();
        for (var line : lines) {
            some.add(ScoredValue.just(0, bytes(line)));
            if (some.size() == AT_ONCE) {
                add(key(job, topic), some);
                some.clear();
            }
        }
        if (!some.isEmpty()) {
            add(key(job, topic), some);
        }
    }

    private void add(byte[] key, List<ScoredValue<byte[]>> lines) throws IOException {
        @SuppressWarnings({"unchecked", "rawtypes"})
        ScoredValue<byte[]>[] values = lines.toArray(new ScoredValue[0]);
        var _ = connection.execute(redis -> redis.zadd(key, ZAddArgs.Builder.nx(), values));
    }

    void deleteAll(JobId job) throws IOException {
        for (var topic : Topic.values()) {
            var _ = connection.execute(redis -> redis.del(key(job, topic)));
        }
    }
}
