package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Rest;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * One host: its URLs by band, those that must wait for a time of their own, and when the host may
 * be visited next.
 *
 * <p>A host's life: {@code idle} without URLs; {@code waiting} until its delay has passed; {@code
 * ready} in the line of hosts; {@code busy} while as many leases are out as it may have; {@code
 * resting} when it asked for quiet, hides its robots.txt or failed too often in a row.
 */
final class HostQueue {

    /** What a host is doing. */
    enum State {
        IDLE,
        WAITING,
        READY,
        BUSY,
        RESTING
    }

    /** Failed visits in a row after which a host rests. */
    static final int FAILURES_MAX = 10;

    /** Failed probes after which a resting host is given up. */
    static final int PROBES_MAX = 8;

    private static final int BANDS = 4;
    private static final long REST_FIRST = 60_000;
    private static final long REST_MAX = 3_600_000;

    final String name;
    private final Bands bands = new Bands();
    private final PriorityQueue<QueuedUrl> delayed =
            new PriorityQueue<>(
                    Comparator.<QueuedUrl>comparingLong(url -> url.notBefore)
                            .thenComparingLong(url -> url.id));

    /** Whether the schedule has met this host. */
    boolean known;

    State state = State.IDLE;
    long dueAt;
    int leased;
    long pages;
    long robotsDelay;
    long lastEnded;
    long nextAllowed;
    Rest rest = Rest.NONE;
    long restUntil;
    long restLength;
    int failures;
    int probes;

    HostQueue(String name) {
        this.name = name;
    }

    void add(QueuedUrl url) {
        if (url.notBefore > 0) {
            delayed.add(url);
        } else {
            bands.add(url);
        }
    }

    /** Puts a URL back where it was taken from. */
    void addFirst(QueuedUrl url) {
        url.notBefore = 0;
        bands.addFirst(url);
    }

    /** The URL whose turn it is. */
    Optional<QueuedUrl> take(long now) {
        promote(now);
        return Optional.ofNullable(bands.poll());
    }

    /** Takes a certain URL out, as replaying a journal does: it nearly always is the next one. */
    Optional<QueuedUrl> takeById(long urlId) {
        return bands.remove(urlId).or(() -> takeDelayed(urlId));
    }

    private Optional<QueuedUrl> takeDelayed(long urlId) {
        var found = delayed.stream().filter(url -> url.id == urlId).findFirst();
        found.ifPresent(delayed::remove);
        return found;
    }

    int size() {
        return bands.size + delayed.size();
    }

    boolean hasWork() {
        return size() > 0;
    }

    /** Whether the next visit waits for nothing but the plain delay. */
    boolean plainlyWaiting() {
        return bands.size > 0 && restUntil <= nextAllowed;
    }

    /** When the next visit may be made, provided there is work. */
    long due() {
        var next = delayed.peek();
        var work = bands.size > 0 || next == null ? 0 : next.notBefore;
        return Math.max(Math.max(nextAllowed, restUntil), work);
    }

    /**
     * How many leases may be out at once: a host on probation, or one that asks for a delay, gets
     * one.
     */
    int capacity(int perHost) {
        return failures >= FAILURES_MAX || robotsDelay > 0 ? 1 : perHost;
    }

    /** Takes note of a visit's end. True when the host has now been given up. */
    boolean touch(FrontierEvent.Touch touch, long delay) {
        if (touch.ended() > 0) {
            lastEnded = Math.max(lastEnded, touch.ended());
            nextAllowed = Math.max(nextAllowed, touch.ended() + Math.max(delay, robotsDelay));
        }
        if (touch.rest() != Rest.NONE) {
            restFor(touch.rest(), touch.ended(), touch.until() - touch.ended());
        }
        return touch.failed() ? failed(touch.ended()) : answered(touch);
    }

    private boolean answered(FrontierEvent.Touch touch) {
        if (touch.ended() > 0) {
            failures = 0;
            probes = 0;
        }
        return false;
    }

    private boolean failed(long ended) {
        failures++;
        if (failures < FAILURES_MAX) {
            return false;
        }
        if (failures > FAILURES_MAX) {
            probes++;
        }
        restFor(Rest.BREAKER, ended, Math.min(REST_FIRST << probes, REST_MAX));
        return probes >= PROBES_MAX;
    }

    private void restFor(Rest why, long from, long length) {
        if (from + length > restUntil) {
            rest = why;
            restUntil = from + length;
            restLength = length;
        }
    }

    /**
     * Makes sense of saved times under a clock that may have been set since: no wait may be longer
     * than it was when it began, so a clock set back starves no host.
     */
    void reopen(long now, long delay) {
        var ended = Math.min(lastEnded, now);
        nextAllowed = ended == 0 ? 0 : ended + Math.max(delay, robotsDelay);
        restUntil = Math.min(restUntil, now + restLength);
    }

    /** Every queued URL, in the order of turns. */
    List<QueuedUrl> inOrder() {
        var urls = new ArrayList<QueuedUrl>(size());
        bands.forEach(urls::add);
        delayed.stream().sorted(delayed.comparator()).forEach(urls::add);
        return urls;
    }

    private void promote(long now) {
        for (var next = delayed.peek();
                next != null && next.notBefore <= now;
                next = delayed.peek()) {
            var url = delayed.remove();
            url.notBefore = 0;
            bands.add(url);
        }
    }

    /** First in, first out within a band; a band is served only when those before it are empty. */
    private static final class Bands {

        private final ArrayDeque<QueuedUrl>[] queues = emptyQueues();
        private int size;

        @SuppressWarnings({
            "unchecked",
            "rawtypes"
        }) // Java has no other way to an array of generics.
        private static ArrayDeque<QueuedUrl>[] emptyQueues() {
            return new ArrayDeque[BANDS];
        }

        void add(QueuedUrl url) {
            queue(url).addLast(url);
            size++;
        }

        void addFirst(QueuedUrl url) {
            queue(url).addFirst(url);
            size++;
        }

        private ArrayDeque<QueuedUrl> queue(QueuedUrl url) {
            var band = url.facts.band();
            if (queues[band] == null) {
                queues[band] = new ArrayDeque<>(4);
            }
            return queues[band];
        }

        @Nullable QueuedUrl poll() {
            for (var queue : queues) {
                if (queue != null && !queue.isEmpty()) {
                    size--;
                    return queue.pollFirst();
                }
            }
            return null;
        }

        Optional<QueuedUrl> remove(long urlId) {
            for (var queue : queues) {
                if (queue != null) {
                    for (var urls = queue.iterator(); urls.hasNext(); ) {
                        var url = urls.next();
                        if (url.id == urlId) {
                            urls.remove();
                            size--;
                            return Optional.of(url);
                        }
                    }
                }
            }
            return Optional.empty();
        }

        void forEach(Consumer<QueuedUrl> action) {
            for (var queue : queues) {
                if (queue != null) {
                    queue.forEach(action);
                }
            }
        }
    }
}
