package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import java.io.IOException;

/**
 * What all workers of a fleet must agree on: how the keys are laid out and how many shards there
 * are.
 */
final class Charter {

    /**
     * Changes whenever keys, values or scripts do so that workers of two versions must not meet.
     */
    static final int VERSION = 1;

    private Charter() {}

    /** Writes the charter of a new fleet, or agrees to that of an old one. */
    static void sign(RedisLink link, FleetSettings settings) throws IOException {
        var key = bytes("ow:{" + settings.fleet() + "}:charter");
        agree(link, key, "version", VERSION, settings.fleet());
        agree(link, key, "shards", settings.shards(), settings.fleet());
    }

    private static void agree(RedisLink link, byte[] key, String what, int ours, String fleet)
            throws IOException {
        if (link.ask(redis -> redis.hsetnx(key, bytes(what), bytes(ours)))) {
            return;
        }
        var theirs = string(link.ask(redis -> redis.hget(key, bytes(what))));
        if (!theirs.equals(Integer.toString(ours))) {
            throw new IOException(
                    "the fleet %s has %s %s, this worker %d: they cannot work together"
                            .formatted(fleet, what, theirs, ours));
        }
    }
}
