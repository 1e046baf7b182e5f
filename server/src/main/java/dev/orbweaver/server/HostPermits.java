package dev.orbweaver.server;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Permits per host, so that calls that wait for one slow host do not take the permits of all. Only
 * hosts with callers have an entry.
 */
final class HostPermits {

    private static final class Host {
        private final Semaphore permits;
        private int users;

        private Host(int max) {
            this.permits = new Semaphore(max, true);
        }
    }

    private final int perHost;
    private final Map<String, Host> hosts = new HashMap<>();

    HostPermits(int perHost) {
        this.perHost = perHost;
    }

    /** Returns whether a permit was available in time; then {@link #release} must be called. */
    boolean tryAcquire(String name, Duration timeout) throws InterruptedException {
        Host host;
        synchronized (this) {
            host = hosts.computeIfAbsent(name, _ -> new Host(perHost));
            host.users++;
        }
        var acquired = false;
        try {
            acquired = host.permits.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            if (!acquired) {
                leave(name, host);
            }
        }
        return acquired;
    }

    void release(String name) {
        Host host;
        synchronized (this) {
            host = hosts.get(name);
        }
        if (host == null) {
            throw new IllegalStateException("no permit of " + name);
        }
        host.permits.release();
        leave(name, host);
    }

    private synchronized void leave(String name, Host host) {
        if (--host.users == 0) {
            hosts.remove(name);
        }
    }

    synchronized int size() {
        return hosts.size();
    }
}
