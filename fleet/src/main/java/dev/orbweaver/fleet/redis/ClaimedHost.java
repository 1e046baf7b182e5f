package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import dev.orbweaver.internal.frontier.FrontierEvent.QueuedUrlState;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A host that this worker holds, and what is still to be told of it. */
final class ClaimedHost {

    private static final int VALUES = 2;

    /** How many arguments a change is: its kind, what it is about, and the values. */
    static final int ARGS_PER_CHANGE = 2 + VALUES;

    private static final byte[] EMPTY = {};

    final String host;
    final byte[] token;
    final long claimedAt;

    /** The URLs that came with it and are not settled, as the fleet knows them. */
    final Map<UrlId, QueuedUrlState> urls = new HashMap<>();

    /** Jobs that have more URLs in Redis. */
    final Set<Integer> jobsWithMore = new HashSet<>();

    private final List<byte[]> changes = new ArrayList<>();
    private final Set<ClaimedHost> changedHosts;
    private int changeCount;

    /** What of its next URLs lies in files. */
    final List<SpillLoader.LoadRequest> spilled = new ArrayList<>();

    /** Before when files are not tried again, since they could not be read. */
    long spilledRetryAt;

    /** When the fleet last heard that the host is still held. */
    long renewedAt;

    /**
     * A host.
     *
     * @param changed where it puts itself when there is something to tell of it
     */
    ClaimedHost(String host, byte[] token, long since, Set<ClaimedHost> changed) {
        this.host = host;
        this.token = token;
        this.claimedAt = since;
        this.renewedAt = since;
        this.changedHosts = changed;
    }

    void change(char kind, byte[] id, byte[]... values) {
        changes.add(bytes(String.valueOf(kind)));
        changes.add(id);
        for (var i = 0; i < VALUES; i++) {
            changes.add(i < values.length ? values[i] : EMPTY);
        }
        changeCount++;
        markChanged();
    }

    /** There is something to tell of it, be it only that it is still held. */
    void markChanged() {
        changedHosts.add(this);
    }

    /** How many changes are to be told. */
    int changeCount() {
        return changeCount;
    }

    /** The changes, which are then no longer to be told. */
    List<byte[]> takeChanges() {
        var all = List.copyOf(changes);
        changes.clear();
        changeCount = 0;
        changedHosts.remove(this);
        return all;
    }
}
