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
import java.util.Optional;
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
 *
 * <p>Of HTTP/2 there is one connection per key, which callers share up to its limit. Until the
 * first connection of a key has selected a version, others wait for it. Which servers selected
 * HTTP/1.1, and those on which HTTP/2 failed, is remembered for a while.
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
        private final boolean offersHttp2;
        private boolean held = true;

        private Slot(Key key, boolean offersHttp2) {
            this.key = key;
            this.offersHttp2 = offersHttp2;
        }

        Key key() {
            return key;
        }

        /** Returns whether the TLS handshake offers HTTP/2. */
        boolean offersHttp2() {
            return offersHttp2;
        }

        /** Idempotent. */
        void release() {
            synchronized (ConnectionPool.this) {
                if (held) {
                    held = false;
                    openCount--;
                    openByKey.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
                    selecting.remove(key, this);
                    notifyWaiters();
                }
            }
        }
    }

    /** An HTTP/2 connection, and how many requests it has and may have at the same time. */
    private static final class SharedConnection {
        private final Connection connection;
        private int exchanges;
        private int exchangesMax;

        private SharedConnection(Connection connection, int exchanges, int exchangesMax) {
            this.connection = connection;
            this.exchanges = exchanges;
            this.exchangesMax = exchangesMax;
        }
    }

    private enum Http1Reason {
        SELECTED,
        HTTP2_FAILED
    }

    /** How long it is remembered that a server uses HTTP/1.1. */
    private static final Duration HTTP1_FOR = Duration.ofMinutes(10);

    private static final int HTTP1_SERVERS_MAX = 4_096;

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

    private final boolean http2;

    /** HTTP/2 connections that accept requests; one without any is also in {@code idleByAge}. */
    private final Map<Key, SharedConnection> shared = new HashMap<>();

    /** First connections of keys, whose HTTP version is not known yet. */
    private final Map<Key, Slot> selecting = new HashMap<>();

    private final ExpiringMap<Key, Http1Reason> http1Servers = new ExpiringMap<>(HTTP1_SERVERS_MAX);

    private final Map<Key, Integer> openByKey = new HashMap<>();
    private int openCount;
    private int waiters;
    private boolean closed;

    /**
     * @param http2 whether TLS handshakes offer HTTP/2
     */
    ConnectionPool(FetchSettings.ConnectionLimits limits, boolean http2) {
        this.limits = limits;
        this.http2 = http2;
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
            var awaited = selecting.get(key);
            while (true) {
                var idleConnection = http2 ? takeSharedOrIdle(key) : takeIdle(key);
                if (idleConnection != null) {
                    return new Acquired.Reused(idleConnection);
                }
                if (mayOpen(key, awaited)) {
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

    /**
     * @param awaited the connection whose HTTP version the caller waits for; if it fails, the
     *     caller does not wait for another
     */
    private boolean mayOpen(Key key, @Nullable Slot awaited) {
        var waitsForVersion = awaited != null && selecting.get(key) == awaited;
        return !waitsForVersion
                && !shared.containsKey(key)
                && openByKey.getOrDefault(key, 0) < limits.perEndpoint();
    }

    private Slot reserve(Key key) {
        openCount++;
        openByKey.merge(key, 1, Integer::sum);
        if (!http2 || key.tlsName().isEmpty()) {
            return new Slot(key, false);
        }
        var known = http1Servers.get(key, System.nanoTime());
        var slot = new Slot(key, !known.equals(Optional.of(Http1Reason.HTTP2_FAILED)));
        if (known.isEmpty()) {
            selecting.put(key, slot);
        }
        return slot;
    }

    private @Nullable Connection takeSharedOrIdle(Key key) {
        var known = shared.get(key);
        if (known == null) {
            return takeIdle(key);
        }
        if (!known.connection.isOpen()) {
            unshare(known.connection);
            return null;
        }
        if (known.exchanges >= known.exchangesMax) { // The server may have lowered the maximum.
            return null;
        }
        if (known.exchanges == 0) {
            removeIdle(known.connection);
        }
        known.exchanges++;
        return known.connection;
    }

    /**
     * Shares an HTTP/2 connection, or changes its limit.
     *
     * @param exchanges how many requests it has, when it was not shared
     * @param streamsMax how many the server permits
     * @return whether it is shared; otherwise it must close after its requests
     */
    synchronized boolean share(
            Connection connection, int exchanges, long streamsMax, long nowNanos) {
        var key = connection.key();
        selecting.remove(key, connection.slot());
        notifyWaiters();
        var max = (int) Math.min(limits.perEndpoint(), streamsMax);
        var known = shared.get(key);
        if (closed || max < 1 || isReuseDisabled(key, nowNanos)) {
            return false;
        }
        if (known == null) {
            shared.put(key, new SharedConnection(connection, exchanges, max));
            return true;
        }
        if (known.connection == connection) {
            known.exchangesMax = max;
        }
        return known.connection == connection;
    }

    /** Gives no further request to a connection. */
    synchronized void unshare(Connection connection) {
        var key = connection.key();
        selecting.remove(key, connection.slot());
        var known = shared.get(key);
        if (known != null && known.connection == connection) {
            shared.remove(key);
            removeIdle(connection);
        }
        notifyWaiters();
    }

    /** Ends a request of an HTTP/2 connection. */
    synchronized void endExchange(Connection connection, long nowNanos) {
        var known = shared.get(connection.key());
        if (known == null || known.connection != connection) {
            return;
        }
        known.exchanges--;
        if (known.exchanges == 0) {
            connection.setIdleSince(nowNanos);
            idleByAge.addLast(connection);
        }
        notifyWaiters();
    }

    synchronized void onHttp1Selected(Slot slot, long nowNanos) {
        http1Servers.put(slot.key(), Http1Reason.SELECTED, nowNanos, HTTP1_FOR);
        selecting.remove(slot.key(), slot);
        notifyWaiters();
    }

    /** Does not offer HTTP/2 to a server for a while, because its connections failed. */
    void disableHttp2(Key key, long nowNanos) {
        http1Servers.put(key, Http1Reason.HTTP2_FAILED, nowNanos, HTTP1_FOR);
    }

    private List<Connection> evictOneIfFull() {
        if (openCount < limits.max() || idleByAge.isEmpty()) {
            return List.of();
        }
        var oldest = idleByAge.getFirst();
        removeIdle(oldest);
        unshare(oldest);
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
        old.forEach(this::unshare);
        return old;
    }
}
