package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;

import dev.orbweaver.frontier.FrontierEvent.Restored;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A host that this worker holds, and what is still to be told of it. */
final class Held {

    private static final int VALUES = 2;

    /** How many arguments a change is: its kind, what it is about, and the values. */
    static final int CHANGE = 2 + VALUES;

    private static final byte[] NOTHING = {};

    final String host;
    final byte[] token;
    final long since;

    /** The URLs that came with it and are not settled, as the fleet knows them. */
    final Map<UrlId, Restored> urls = new HashMap<>();

    /** Jobs that have more URLs in Redis. */
    final Set<Integer> more = new HashSet<>();

    private final List<byte[]> changes = new ArrayList<>();
    private final Set<Held> changed;
    private int size;

    /** What of its next URLs lies in files. */
    final List<Loads.Wanted> cold = new ArrayList<>();

    /** Before when files are not tried again, since they could not be read. */
    long coldUntil;

    /** When the fleet last heard that the host is still held. */
    long renewedAt;

    /**
     * A host.
     *
     * @param changed where it puts itself when there is something to tell of it
     */
    Held(String host, byte[] token, long since, Set<Held> changed) {
        this.host = host;
        this.token = token;
        this.since = since;
        this.renewedAt = since;
        this.changed = changed;
    }

    void change(char kind, byte[] id, byte[]... values) {
        changes.add(bytes(String.valueOf(kind)));
        changes.add(id);
        for (var i = 0; i < VALUES; i++) {
            changes.add(i < values.length ? values[i] : NOTHING);
        }
        size++;
        mark();
    }

    /** There is something to tell of it, be it only that it is still held. */
    void mark() {
        changed.add(this);
    }

    /** How many changes are to be told. */
    int size() {
        return size;
    }

    /** The changes, which are then no longer to be told. */
    List<byte[]> takeChanges() {
        var all = List.copyOf(changes);
        changes.clear();
        size = 0;
        changed.remove(this);
        return all;
    }
}
