package dev.orbweaver.internal.fetch;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connections that wait for another request to the same address and TLS name, and the count of all
 * there are. Keyed by address and not by host name, so a name that comes to point elsewhere never
 * reaches the old place through a kept connection.
 *
 * <p>Every connection, waiting or not, holds a {@link Slot} from before it is dialled until it is
 * closed, and slots are limited, in all and per place. When all are taken, a connection that only
 * waits gives its slot up; when none waits, the caller does, as long as its own time lasts.
 */
final class ConnectionPool {

    /** Where a connection leads; {@code tlsName} is empty without TLS. */
    record Key(InetAddress address, int port, String tlsName) implements Comparable<Key> {

        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::tlsName)
                        .thenComparingInt(Key::port)
                        .thenComparing(key -> key.address.getAddress(), Arrays::compare);

        /** Keeps hash maps quick when the hash codes of many names are equal. */
        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    sealed interface Acquired {

        Key key();

        record Reused(Connection connection) implements Acquired {
            @Override
            public Key key() {
                return connection.key();
            }
        }

        record NewConnection(Slot slot) implements Acquired {
            @Override
            public Key key() {
                return slot.key();
            }
        }
    }

    final class Slot {
        private final Key key;
        private boolean held = true;

        private Slot(Key key) {
            this.key = key;
        }

        Key key() {
            return key;
        }

        /** Idempotent. */
        void release() {
            synchronized (ConnectionPool.this) {
                if (held) {
                    held = false;
                    openCount--;
                    openByKey.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
                    notifyWaiters();
                }
            }
        }
    }

    /** How long a place where a kept connection broke unanswered gets a new one every time. */
    private static final Duration REUSE_DISABLED_FOR = Duration.ofMinutes(10);

    private static final int REUSE_DISABLED_MAX = 4_096;

    private final FetchSettings.ConnectionLimits limits;
    private final Map<Key, ArrayDeque<Connection>> idle = new HashMap<>();

    /** All that wait, the one that has waited longest first. */
    private final LinkedHashSet<Connection> idleByAge = new LinkedHashSet<>();

    /** Until when nothing is kept of a key; the oldest entry goes when there are too many. */
    private final LinkedHashMap<Key, Long> reuseDisabledUntil = new LinkedHashMap<>();

    private final Map<Key, Integer> openByKey = new HashMap<>();
    private int openCount;
    private int waiters;
    private boolean closed;

    ConnectionPool(FetchSettings.ConnectionLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns the connection used last, which is the least likely to be closed, or the right to
     * make one.
     *
     * @throws TimeoutException when there was neither until the deadline
     */
    Acquired acquire(Key key, long deadlineNanos) throws TimeoutException, InterruptedException {
        List<Connection> evicted;
        Slot slot;
        synchronized (this) {
            while (true) {
                var kept = takeIdle(key);
                if (kept != null) {
                    return new Acquired.Reused(kept);
                }
                if (openByKey.getOrDefault(key, 0) < limits.perEndpoint()) {
                    evicted = evictOneIfFull();
                    if (openCount < limits.max()) {
                        break;
                    }
                }
                awaitChange(deadlineNanos);
            }
            slot = reserve(key);
        }
        evicted.forEach(Connection::close);
        return new Acquired.NewConnection(slot);
    }

    private Slot reserve(Key key) {
        openCount++;
        openByKey.merge(key, 1, Integer::sum);
        return new Slot(key);
    }

    private List<Connection> evictOneIfFull() {
        if (openCount < limits.max() || idleByAge.isEmpty()) {
            return List.of();
        }
        var oldest = idleByAge.getFirst();
        removeIdle(oldest);
        oldest.slot().release(); // Its end is certain from here on.
        return List.of(oldest);
    }

    private void awaitChange(long deadlineNanos) throws TimeoutException, InterruptedException {
        var left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
            throw new TimeoutException("no connection free in time");
        }
        waiters++;
        try {
            // Woken early or for nothing, the caller looks again.
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
        } finally {
            waiters--;
        }
    }

    /** Those who wait may wait for different places, so all of them look. */
    private void notifyWaiters() {
        if (waiters > 0) {
            notifyAll();
        }
    }

    private @Nullable Connection takeIdle(Key key) {
        var waiting = idle.get(key);
        while (waiting != null && !waiting.isEmpty()) {
            var connection = waiting.getLast();
            removeIdle(connection);
            if (connection.isOpen()) {
                return connection;
            }
        }
        return null;
    }

    /** Keeps a connection for later, or closes it when it is not to be kept. */
    void release(Connection connection, long nowNanos) {
        if (!addIdle(connection, nowNanos)) {
            connection.close();
        }
    }

    private synchronized boolean addIdle(Connection connection, long nowNanos) {
        // A connection that closes from here on tells forget(), which waits for this monitor.
        if (closed || !connection.isOpen() || isReuseDisabled(connection.key(), nowNanos)) {
            return false;
        }
        connection.setIdleSince(nowNanos);
        idle.computeIfAbsent(connection.key(), _ -> new ArrayDeque<>(2)).addLast(connection);
        idleByAge.addLast(connection);
        notifyWaiters();
        return true;
    }

    private boolean isReuseDisabled(Key key, long nowNanos) {
        var until = reuseDisabledUntil.get(key);
        if (until != null && until - nowNanos <= 0) {
            reuseDisabledUntil.remove(key);
            return false;
        }
        return until != null;
    }

    /**
     * A reused connection broke under a request. A server that does that once is likely to repeat
     * it, so for a while every request there gets a new connection.
     */
    void disableReuse(Key key, long nowNanos) {
        markReuseDisabled(key, nowNanos).forEach(Connection::close);
    }

    private synchronized List<Connection> markReuseDisabled(Key key, long nowNanos) {
        reuseDisabledUntil.putLast(key, nowNanos + REUSE_DISABLED_FOR.toNanos());
        if (reuseDisabledUntil.size() > REUSE_DISABLED_MAX) {
            reuseDisabledUntil.pollFirstEntry();
        }
        var waiting = List.copyOf(idle.getOrDefault(key, new ArrayDeque<>()));
        waiting.forEach(this::removeIdle);
        return waiting;
    }

    /** Called when a waiting connection was closed by the other side. */
    synchronized void removeIdle(Connection connection) {
        if (!idleByAge.remove(connection)) {
            return;
        }
        var waiting = idle.get(connection.key());
        if (waiting != null) {
            waiting.removeLastOccurrence(connection);
            if (waiting.isEmpty()) {
                idle.remove(connection.key());
            }
        }
    }

    /** Closes what has waited too long. */
    void closeIdle(long nowNanos) {
        takeIdleSince(nowNanos - limits.idle().toNanos()).forEach(Connection::close);
    }

    void closeAll() {
        synchronized (this) {
            closed = true;
        }
        takeIdleSince(Long.MAX_VALUE).forEach(Connection::close);
    }

    synchronized int idleCount() {
        return idleByAge.size();
    }

    synchronized int openCount() {
        return openCount;
    }

    private synchronized List<Connection> takeIdleSince(long latestNanos) {
        var old = new ArrayList<Connection>();
        for (var waiting : idleByAge) {
            if (waiting.idleSinceNanos() > latestNanos) {
                break; // Those behind it have not waited longer.
            }
            old.add(waiting);
        }
        old.forEach(this::removeIdle);
        return old;
    }
}
