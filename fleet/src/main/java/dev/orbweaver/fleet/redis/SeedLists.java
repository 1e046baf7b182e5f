package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.string;

import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.internal.frontier.SeedPosition;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** How far the seed lists of a job were read. All of them are in one shard. */
final class SeedLists {

    /** The name of a list begins with its number. */
    private static final int LINE_BITS = 32;

    /** The field with the number of the last list in pieces. */
    static final String LAST = "last";

    private SeedLists() {}

    static int shard(Shards shards, int job) {
        return Math.floorMod(job, shards.all().size());
    }

    /** Returns the position in all lists of a job, which are read in the order of their numbers. */
    static long number(SeedPosition position) {
        var name = position.list();
        var list = Long.parseLong(name.substring(0, name.indexOf('-')));
        return (list << LINE_BITS) + position.lines();
    }

    /** Returns a position as it is stored; the start is stored as nothing. */
    static String encode(SeedPosition position) {
        return position.lines() == 0
                ? ""
                : position.bytes() + " " + position.lines() + " " + position.malformed();
    }

    static SeedPosition decode(String list, String text) {
        var first = text.indexOf(' ');
        var second = text.indexOf(' ', first + 1);
        return new SeedPosition(
                list,
                Long.parseLong(text.substring(0, first)),
                Long.parseLong(text.substring(first + 1, second)),
                Long.parseLong(text.substring(second + 1)));
    }

    static List<SeedPosition> positions(RedisConnection connection, Shards shards, int job) {
        var key = ShardKey.SEED_POSITIONS.of(shards.get(shard(shards, job)), job);
        try {
            var positions = new ArrayList<SeedPosition>();
            connection
                    .execute(redis -> redis.hgetall(key))
                    .forEach((list, text) -> positions.add(decode(string(list), string(text))));
            return positions;
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }
}
