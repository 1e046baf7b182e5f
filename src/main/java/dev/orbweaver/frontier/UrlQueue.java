package dev.orbweaver.frontier;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * One job's URLs on one host: four bands, first in, first out within each, a band served only when
 * those before it are empty; and URLs that must wait for a time of their own.
 *
 * <p>There may be a million of these, so one that is empty is little more than its fields, and no
 * URL that waits in line is an object. A band is three lines behind each other: URLs that were
 * given back, which go first; those on the {@link Shelf}; those in the {@link Nursery}.
 */
final class UrlQueue {

    static final int BANDS = 4;

    /**
     * With so many URLs that wait for a time of their own, the others wait with them: a host that
     * fails that often is not asked for more, and memory stays bounded.
     */
    static final int DELAYED_MAX = 256;

    private static final int HEADS = 0;
    private static final int TAILS = BANDS;
    private static final int COUNTS = 2 * BANDS;

    private static final Comparator<QueuedUrl> BY_TURN =
            Comparator.<QueuedUrl>comparingLong(url -> url.notBefore)
                    .thenComparingLong(url -> url.delayedAs);

    final int id;
    final HostQueue host;
    final int job;
    private final Stock stock;

    /** URLs of the job that this host was ever given. */
    int accepted;

    /** URLs that do not wait for a time of their own. */
    int size;

    /** Whether nothing here is to be handed out: what it holds counts as withdrawn. */
    boolean excluded;

    private ArrayDeque<QueuedUrl> @Nullable [] givenBack;
    private @Nullable PriorityQueue<QueuedUrl> delayed;

    /** Of the nursery: first address, last address and count of each band. */
    private int @Nullable [] nursed;

    /** The next queue of the same host, which is another job's. */
    @Nullable UrlQueue sibling;

    /** Neighbours in the line of the job's queues that are ready. */
    @Nullable UrlQueue before;

    @Nullable UrlQueue after;
    boolean inLine;

    UrlQueue(int id, HostQueue host, int job, Stock stock) {
        this.id = id;
        this.host = host;
        this.job = job;
        this.stock = stock;
    }

    void add(QueuedUrl url) {
        if (url.notBefore > 0) {
            url.delayedAs = stock.nextDelayed++;
            delayed().add(url);
        } else {
            stock.slip.fill(url);
            append(url.facts.band(), stock.nursery.add(stock.slip, url.url().key()));
            size++;
        }
    }

    private void append(int band, int address) {
        var lines = nursed();
        if (lines[COUNTS + band]++ == 0) {
            lines[HEADS + band] = address;
        } else {
            stock.nursery.link(lines[TAILS + band], address);
        }
        lines[TAILS + band] = address;
    }

    /** Puts a URL before all others of its band. */
    void addFirst(QueuedUrl url) {
        url.notBefore = 0;
        givenBack(url.facts.band()).addFirst(url);
        size++;
    }

    /** Puts a URL behind those that go first in its band, as a snapshot lists them. */
    void addGivenBack(QueuedUrl url) {
        givenBack(url.facts.band()).addLast(url);
        size++;
    }

    /** Takes the URL whose turn it is; there must be one. */
    QueuedUrl take(long now) {
        promote(now);
        for (var band = 0; band < BANDS; band++) {
            var url = takeFrom(band);
            if (url != null) {
                size--;
                return url;
            }
        }
        throw new IllegalStateException("no URL waits on " + host.name + " for job " + job);
    }

    private @Nullable QueuedUrl takeFrom(int band) {
        if (givenBack != null && givenBack[band] != null && !givenBack[band].isEmpty()) {
            return givenBack[band].removeFirst();
        }
        if (waitingOnShelf(band) > 0) {
            var position = taken(band);
            var url = readShelf(band, position);
            stock.shelf().took(id, band, position);
            stock.shelved.add(id, band, -1);
            stock.taken.add(id, band, 1);
            return url;
        }
        if (nursed != null && nursed[COUNTS + band] > 0) {
            var address = nursed[HEADS + band];
            var url = readNursery(band, address);
            nursed[COUNTS + band]--;
            nursed[HEADS + band] = stock.nursery.next(address);
            return url;
        }
        return null;
    }

    private QueuedUrl readShelf(int band, int position) {
        stock.shelf().read(id, band, position, stock.slip);
        return stock.slip.url(job, band, stock.store.url(stock.slip.textAsString()));
    }

    private QueuedUrl readNursery(int band, int address) {
        var key = stock.nursery.read(address, stock.slip);
        return stock.slip.url(job, band, key);
    }

    /** URLs whose time has come join the end of their bands. */
    private void promote(long now) {
        if (delayed == null) {
            return;
        }
        for (var next = delayed.peek();
                next != null && next.notBefore <= now;
                next = delayed.peek()) {
            var url = delayed.remove();
            url.notBefore = 0;
            add(url);
        }
        if (delayed.isEmpty()) {
            delayed = null;
        }
    }

    /** From when on there is a URL to be had; {@link Long#MAX_VALUE} when there is none at all. */
    long workFrom() {
        var waiting = delayed == null ? 0 : delayed.size();
        if (size > 0 && waiting < DELAYED_MAX && !excluded) {
            return 0;
        }
        return waiting == 0 || excluded ? Long.MAX_VALUE : delayed().element().notBefore;
    }

    /** Everything that waits for its turn. */
    int total() {
        return excluded ? 0 : stored();
    }

    /** Everything that is kept here. */
    int stored() {
        return size + (delayed == null ? 0 : delayed.size());
    }

    void setClockBack(long by) {
        if (delayed != null) {
            delayed.forEach(url -> url.notBefore -= by);
        }
    }

    /** Hands the nursery's URLs over, to be put on the shelf behind those that are there. */
    void handOver(Workbench.Shelver out) throws IOException {
        var lines = nursed;
        if (lines == null) {
            return;
        }
        for (var band = 0; band < BANDS; band++) {
            var address = lines[HEADS + band];
            for (var left = lines[COUNTS + band]; left > 0; left--) {
                var _ = stock.nursery.read(address, stock.slip);
                out.shelve(id, band, stock.slip);
                address = stock.nursery.next(address);
            }
        }
    }

    /** What was handed over is on the shelf now. */
    void putOnShelf() {
        var lines = nursed;
        for (var band = 0; lines != null && band < BANDS; band++) {
            stock.shelved.add(id, band, lines[COUNTS + band]);
        }
        nursed = null;
        if (lines != null) {
            stock.giveBack(lines);
        }
    }

    /** Forgets everything: the queue's host goes elsewhere. */
    void drop() {
        if (nursed != null) {
            nursed = null;
            stock.nursing.remove(this);
        }
        givenBack = null;
        delayed = null;
        size = 0;
    }

    /** Moves the nursery's URLs to another nursery. */
    void moveTo(Nursery other) {
        var lines = nursed;
        if (lines == null) {
            return;
        }
        nursed = null;
        for (var band = 0; band < BANDS; band++) {
            var address = lines[HEADS + band];
            for (var left = lines[COUNTS + band]; left > 0; left--) {
                var key = stock.nursery.read(address, stock.slip);
                address = stock.nursery.next(address);
                var moved = other.add(stock.slip, key);
                var mine = nursed();
                if (mine[COUNTS + band]++ == 0) {
                    mine[HEADS + band] = moved;
                } else {
                    other.link(mine[TAILS + band], moved);
                }
                mine[TAILS + band] = moved;
            }
        }
    }

    /**
     * The shelf was put in order: so many URLs of a band, all taken before, are no longer there.
     */
    void unshelved(int band, int count) {
        stock.taken.add(id, band, -count);
    }

    int taken(int band) {
        return stock.taken.get(id, band);
    }

    int waitingOnShelf(int band) {
        return stock.shelved.get(id, band);
    }

    void restoreShelf(int band, int waiting, int alreadyTaken) {
        stock.shelved.add(id, band, waiting);
        stock.taken.add(id, band, alreadyTaken);
        size += waiting;
    }

    /** URLs kept as objects, for a snapshot: those given back, then those that wait for a time. */
    void inMemory(Consumer<QueuedUrl> action) {
        if (givenBack != null) {
            for (var line : givenBack) {
                if (line != null) {
                    line.forEach(action);
                }
            }
        }
        if (delayed != null) {
            delayed.stream().sorted(BY_TURN).forEach(action);
        }
    }

    /** Every URL, in the order of turns. */
    void inOrder(Consumer<QueuedUrl> action) {
        for (var band = 0; band < BANDS; band++) {
            if (givenBack != null && givenBack[band] != null) {
                givenBack[band].forEach(action);
            }
            for (var i = 0; i < waitingOnShelf(band); i++) {
                action.accept(readShelf(band, taken(band) + i));
            }
            if (nursed != null) {
                var address = nursed[HEADS + band];
                for (var left = nursed[COUNTS + band]; left > 0; left--) {
                    action.accept(readNursery(band, address));
                    address = stock.nursery.next(address);
                }
            }
        }
        if (delayed != null) {
            delayed.stream().sorted(BY_TURN).forEach(action);
        }
    }

    private PriorityQueue<QueuedUrl> delayed() {
        if (delayed == null) {
            delayed = new PriorityQueue<>(4, BY_TURN);
        }
        return delayed;
    }

    private int[] nursed() {
        if (nursed == null) {
            nursed = stock.lines();
            stock.nursing.add(this);
        }
        return nursed;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no other way to an array of generics.
    private ArrayDeque<QueuedUrl> givenBack(int band) {
        if (givenBack == null) {
            givenBack = new ArrayDeque[BANDS];
        }
        if (givenBack[band] == null) {
            givenBack[band] = new ArrayDeque<>(2);
        }
        return givenBack[band];
    }

    /** What all queues of a workbench share. */
    static final class Stock {

        private static final long PACK_FROM = 16L << 20;

        final Store store;
        final UrlSlip slip = new UrlSlip();
        Nursery nursery = new Nursery();

        /** Of the shelf, by queue and band: how many wait. */
        final IntGrid shelved = new IntGrid();

        /** Of the shelf, by queue and band: how many were taken and are still there. */
        final IntGrid taken = new IntGrid();

        /** Queues that got something into the nursery since it was last emptied. */
        List<UrlQueue> nursing = new ArrayList<>();

        long nextDelayed;
        private long packAt = PACK_FROM;

        Stock(Store store) {
            this.store = store;
        }

        /**
         * Lines of queues that were shelved, for the next ones; as many as there are queues at
         * most.
         */
        private final ArrayDeque<int[]> spareLines = new ArrayDeque<>();

        int[] lines() {
            var spare = spareLines.pollLast();
            return spare == null ? new int[3 * BANDS] : spare;
        }

        void giveBack(int[] lines) {
            Arrays.fill(lines, 0);
            spareLines.addLast(lines);
        }

        Shelf shelf() {
            return store.shelf();
        }

        /** Frees what was taken out of the nursery, where nothing is ever shelved. */
        void packNursery() {
            if (!store.shelf().equals(Shelf.NONE) || nursery.bytes() < packAt) {
                return;
            }
            var old = nursing;
            nursing = new ArrayList<>();
            var packed = new Nursery();
            old.forEach(queue -> queue.moveTo(packed));
            nursery = packed;
            packAt = Math.max(PACK_FROM, 2 * packed.bytes());
        }
    }
}
