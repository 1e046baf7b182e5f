package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.revisit.HostRates;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A host that this worker has claimed, with the changes that are not sent to Redis yet. */
final class ClaimedHost {

    final String host;
    final String token;
    final long claimedAt;

    /** The unsettled URLs that came with it, in the state that the fleet has. */
    final Map<UrlId, QueuedUrl> urls = new HashMap<>();

    /** Jobs that have more URLs in Redis. */
    final Set<Integer> jobsWithMore = new HashSet<>();

    /** What was observed on its pages, by job; of jobs that visit pages again. */
    final Map<Integer, HostRates> rates = new HashMap<>();

    private final List<CommitRequest.Change> changes = new ArrayList<>();
    private final Set<ClaimedHost> changedHosts;

    /** Parts of its queues that are in files and must be loaded next. */
    final List<SpillLoader.LoadRequest> spilled = new ArrayList<>();

    /** Until when files that could not be read are not retried. */
    long spilledRetryAt;

    /** When the claim was last renewed. */
    long renewedAt;

    /**
     * @param changed the set to which the host adds itself when it has changes to send
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

    /** Marks the host as changed, even if only its claim must be renewed. */
    void markChanged() {
        changedHosts.add(this);
    }

    /** Returns the changes that are not sent yet, and marks them as sent. */
    List<CommitRequest.Change> takeChanges() {
        rates.forEach(
                (job, observed) -> {
                    var changed = observed.takeChanged();
                    if (!changed.isEmpty()) {
                        changes.add(new CommitRequest.Change.Rates(job, changed));
                    }
                });
        var all = List.copyOf(changes);
        changes.clear();
        changedHosts.remove(this);
        return all;
    }
}
