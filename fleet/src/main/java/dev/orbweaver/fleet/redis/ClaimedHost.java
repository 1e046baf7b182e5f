package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.QueuedUrl;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A host that this worker has claimed, and what is still to be sent about it. */
final class ClaimedHost {

    final String host;
    final String token;
    final long claimedAt;

    /** The URLs that came with it and are not settled, as the fleet knows them. */
    final Map<UrlId, QueuedUrl> urls = new HashMap<>();

    /** Jobs that have more URLs in Redis. */
    final Set<Integer> jobsWithMore = new HashSet<>();

    private final List<CommitRequest.Change> changes = new ArrayList<>();
    private final Set<ClaimedHost> changedHosts;

    /** Parts of its queues that are in files and come next. */
    final List<SpillLoader.LoadRequest> spilled = new ArrayList<>();

    /** Until when files are not tried again, since they could not be read. */
    long spilledRetryAt;

    /** When the claim was last renewed. */
    long renewedAt;

    /**
     * @param changed where the host adds itself when there is something to send about it
     */
    ClaimedHost(String host, String token, long since, Set<ClaimedHost> changed) {
        this.host = host;
        this.token = token;
        this.claimedAt = since;
        this.renewedAt = since;
        this.changedHosts = changed;
    }

    void change(CommitRequest.Change change) {
        changes.add(change);
        markChanged();
    }

    /** There is something to send, even if only that the host is still claimed. */
    void markChanged() {
        changedHosts.add(this);
    }

    /** The changes that are not sent yet, which then count as sent. */
    List<CommitRequest.Change> takeChanges() {
        var all = List.copyOf(changes);
        changes.clear();
        changedHosts.remove(this);
        return all;
    }
}
