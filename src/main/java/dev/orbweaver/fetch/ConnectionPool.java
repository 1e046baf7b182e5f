package dev.orbweaver.fetch;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Connections that wait for another request to the same address and TLS name. Keyed by address and
 * not by host name, so a name that comes to point elsewhere never reaches the old place through a
 * kept connection.
 */
final class ConnectionPool {

    /** Where a connection leads; {@code tlsName} is empty without TLS. */
    record Key(InetAddress address, int port, String tlsName) {}

    private static final Duration IDLE_MAX = Duration.ofSeconds(30);

    /** How long a place where a kept connection broke unanswered gets a new one every time. */
    private static final Duration DISTRUST = Duration.ofMinutes(10);

    private static final int DISTRUSTED_MAX = 4_096;

    private final Map<Key, ArrayDeque<Connection>> idle = new HashMap<>();

    /** Until when nothing is kept of a key; the oldest entry goes when there are too many. */
    private final LinkedHashMap<Key, Long> distrusted = new LinkedHashMap<>();

    private final int idleMax;
    private int idleCount;
    private boolean closed;

    ConnectionPool(int idleMax) {
        this.idleMax = idleMax;
    }

    /** The connection used last, which is the least likely to have been closed meanwhile. */
    synchronized Optional<Connection> take(Key key) {
        var waiting = idle.get(key);
        while (waiting != null && !waiting.isEmpty()) {
            var connection = waiting.pollLast();
            idleCount--;
            if (waiting.isEmpty()) {
                idle.remove(key);
            }
            if (connection.open()) {
                return Optional.of(connection);
            }
        }
        return Optional.empty();
    }

    /** Keeps a connection for later, or closes it when enough are waiting. */
    void give(Connection connection, long nowNanos) {
        if (!keep(connection, nowNanos)) {
            connection.close();
        }
    }

    private synchronized boolean keep(Connection connection, long nowNanos) {
        // A connection that closes from here on tells forget(), which waits for this monitor.
        if (closed
                || idleCount >= idleMax
                || !connection.open()
                || distrusted(connection.key(), nowNanos)) {
            return false;
        }
        connection.idleSince(nowNanos);
        idle.computeIfAbsent(connection.key(), _ -> new ArrayDeque<>(2)).addLast(connection);
        idleCount++;
        return true;
    }

    private boolean distrusted(Key key, long nowNanos) {
        var until = distrusted.get(key);
        if (until != null && until - nowNanos <= 0) {
            distrusted.remove(key);
            return false;
        }
        return until != null;
    }

    /**
     * A kept connection broke under a request. Whoever lets that happen once, by closing what it
     * said it would keep, is likely to do it again, so for a while every request gets a connection
     * of its own there: the next try must not meet the same fate.
     */
    void distrust(Key key, long nowNanos) {
        takeToDistrust(key, nowNanos).forEach(Connection::close);
    }

    private synchronized List<Connection> takeToDistrust(Key key, long nowNanos) {
        distrusted.putLast(key, nowNanos + DISTRUST.toNanos());
        if (distrusted.size() > DISTRUSTED_MAX) {
            distrusted.pollFirstEntry();
        }
        var waiting = List.copyOf(idle.getOrDefault(key, new ArrayDeque<>()));
        waiting.forEach(this::forget);
        return waiting;
    }

    /** Called when a waiting connection was closed by the other side. */
    synchronized void forget(Connection connection) {
        var waiting = idle.get(connection.key());
        if (waiting != null && waiting.remove(connection)) {
            idleCount--;
            if (waiting.isEmpty()) {
                idle.remove(connection.key());
            }
        }
    }

    /** Closes what has waited too long. */
    void closeIdle(long nowNanos) {
        takeIdleSince(nowNanos - IDLE_MAX.toNanos()).forEach(Connection::close);
    }

    /** Closes what waits, and from now on whatever is given. */
    void closeAll() {
        synchronized (this) {
            closed = true;
        }
        takeIdleSince(Long.MAX_VALUE).forEach(Connection::close);
    }

    /** How many connections wait. */
    synchronized int idleCount() {
        return idleCount;
    }

    private synchronized List<Connection> takeIdleSince(long latestNanos) {
        var old = new ArrayList<Connection>();
        for (var waiting : List.copyOf(idle.values())) {
            waiting.stream().filter(c -> c.idleSinceNanos() <= latestNanos).forEach(old::add);
        }
        old.forEach(this::forget);
        return old;
    }
}
