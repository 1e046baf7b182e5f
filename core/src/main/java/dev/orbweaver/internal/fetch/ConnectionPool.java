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
 * Idle connections by address and TLS name, and the count of all connections. They are keyed by
 * address and not by host name, so a name that changes its address never reaches the old one
 * through an idle connection.
 *
 * <p>Every connection, idle or not, holds a {@link Slot} from before it is opened until it is
 * closed. Slots are limited in total and per key. If all are in use, an idle connection is closed
 * to free one; if none is idle, the caller waits until its deadline.
 */
final class ConnectionPool {

    /** The endpoint of a connection; {@code tlsName} is empty without TLS. */
    record Key(InetAddress address, int port, String tlsName) implements Comparable<Key> {

        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::tlsName)
                        .thenComparingInt(Key::port)
                        .thenComparing(key -> key.address.getAddress(), Arrays::compare);

        /** Keeps hash maps fast even if the hash codes of many names are equal. */
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

    /**
     * How long no connection of an endpoint is reused after an idle one failed without a response.
     */
    private static final Duration REUSE_DISABLED_FOR = Duration.ofMinutes(10);

    private static final int REUSE_DISABLED_MAX = 4_096;

    private final FetchSettings.ConnectionLimits limits;
    private final Map<Key, ArrayDeque<Connection>> idle = new HashMap<>();

    /** All idle connections, longest idle first. */
    private final LinkedHashSet<Connection> idleByAge = new LinkedHashSet<>();

    /** Until when connections of a key are not reused; when full, the oldest entry is removed. */
    private final LinkedHashMap<Key, Long> reuseDisabledUntil = new LinkedHashMap<>();

    private final Map<Key, Integer> openByKey = new HashMap<>();
    private int openCount;
    private int waiters;
    private boolean closed;

    ConnectionPool(FetchSettings.ConnectionLimits limits) {
        this.limits = limits;
    }

    /**
     * Returns the most recently used connection, which is the least likely to be closed, or a slot
     * for a new one.
     *
     * @throws TimeoutException if neither became available before the deadline
     */
    Acquired acquire(Key key, long deadlineNanos) throws TimeoutException, InterruptedException {
        List<Connection> evicted;
        Slot slot;
        synchronized (this) {
            while (true) {
                var idleConnection = takeIdle(key);
                if (idleConnection != null) {
                    return new Acquired.Reused(idleConnection);
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
        oldest.slot().release(); // It is certain to be closed now.
        return List.of(oldest);
    }

    private void awaitChange(long deadlineNanos) throws TimeoutException, InterruptedException {
        var left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
            throw new TimeoutException("timed out waiting for a free connection slot");
        }
        waiters++;
        try {
            // The caller checks again after a spurious wakeup.
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
        } finally {
            waiters--;
        }
    }

    /** Wakes all waiters, because they may wait for different keys. */
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

    /** Keeps a connection for reuse, or closes it if it must not be reused. */
    void release(Connection connection, long nowNanos) {
        if (!addIdle(connection, nowNanos)) {
            connection.close();
        }
    }

    private synchronized boolean addIdle(Connection connection, long nowNanos) {
        // A connection that closes from now on calls removeIdle(), which waits for this monitor.
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
     * Disables reuse for a key after a reused connection failed during a request. Such a server is
     * likely to do it again, so for a while every request to it uses a new connection.
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

    /** Called when the server has closed an idle connection. */
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

    /** Closes connections that have been idle for too long. */
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
                break; // The others have not been idle longer.
            }
            old.add(waiting);
        }
        old.forEach(this::removeIdle);
        return old;
    }
}
