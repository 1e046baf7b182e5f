package dev.orbweaver.imports;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** When each host may get its next request. For use by one thread. */
final class HostTurns {

    /** The oldest are dropped beyond this number; a source visits few hosts. */
    private static final int HOSTS_MAX = 10_000;

    private final Map<String, Long> dueNanos =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                    return size() > HOSTS_MAX;
                }
            };

    void await(String host) throws InterruptedException {
        var due = dueNanos.get(host);
        if (due != null) {
            awaitTime(due);
        }
    }

    /** Waits for the hosts of all pauses that are not over. */
    void awaitAll() throws InterruptedException {
        for (var due : dueNanos.values()) {
            awaitTime(due);
        }
    }

    private static void awaitTime(long due) throws InterruptedException {
        var waitNanos = due - System.nanoTime();
        if (waitNanos > 0) {
            Thread.sleep(Duration.ofNanos(waitNanos));
        }
    }

    /** Starts the pause after a response. */
    void ended(String host, Duration pause) {
        dueNanos.remove(host);
        dueNanos.put(host, System.nanoTime() + pause.toNanos());
    }
}
