package dev.orbweaver.internal.revisit;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Counts the pages that wait in the frontier, in all and by host. */
final class QueuedPages {

    private final Map<Integer, Integer> byHost = new HashMap<>();

    /** Hosts of which due pages were passed over, because they had enough in the frontier. */
    private final Set<Integer> passedOver = new HashSet<>();

    private int count;

    /** Counts the pages whose due times say that they are queued. */
    void count(RevisitStore store) {
        for (var page = 0; page < store.count(); page++) {
            if (store.due(page) < 0) {
                add(store.row(page).host());
            }
        }
    }

    int count() {
        return count;
    }

    int of(int host) {
        return byHost.getOrDefault(host, 0);
    }

    void add(int host) {
        count++;
        byHost.merge(host, 1, Integer::sum);
    }

    void remove(int host) {
        count--;
        byHost.computeIfPresent(host, (_, pages) -> pages == 1 ? null : pages - 1);
    }

    void passOver(int host) {
        passedOver.add(host);
    }

    boolean isPassedOver(int host) {
        return passedOver.contains(host);
    }

    boolean anyPassedOver() {
        return !passedOver.isEmpty();
    }

    /**
     * Returns whether a host whose pages were passed over has room again, for half of what it may
     * have, so that this is rare; then all of these hosts are tried again.
     */
    boolean retry(int perHost) {
        if (passedOver.stream().noneMatch(host -> of(host) <= perHost / 2)) {
            return false;
        }
        passedOver.clear();
        return true;
    }
}
