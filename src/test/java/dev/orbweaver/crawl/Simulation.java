package dev.orbweaver.crawl;

import dev.orbweaver.disk.SimulatedDisk;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierFailedException;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.frontier.WorkbenchFrontier;
import dev.orbweaver.frontier.disk.DiskFrontier;
import dev.orbweaver.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.lab.SimulatedWeb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * A whole crawl in virtual time: the real frontier over a simulated disk, the real decisions and
 * parsers, and a simulated web. The same seed gives the same crawl on any machine.
 *
 * <p>The process may die at any step and in the middle of any write. Dying is dropping everything
 * but the disk; the next {@link Life} opens what it finds there, perhaps by a clock that was set in
 * the meantime. {@link Judge} watches from the hosts' side, {@link Books} from the frontier's.
 */
final class Simulation {

    /** When every simulation begins. */
    static final long BEGUN = World.BEGUN;

    private static final Path CRAWL = Path.of("/crawl");
    private static final Path FOLDER = CRAWL.resolve("frontier");
    private static final int HOURS_MAX = 5;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private enum Death {
        KILLED,
        KILLED_WHILE_WRITING,
        DISK_FULL,
        DISK_FAILING,
        DISK_FULL_WHILE_TIDYING,
        POWER_CUT
    }

    private final Terms terms;
    private final World world;
    private final SimulatedStore store;
    private SimulatedDisk disk = new SimulatedDisk();
    private Frontier frontier;
    private final Optional<Books> books;
    private Death next = Death.KILLED;
    private long killAt = Long.MAX_VALUE;
    private long steps;
    private int deaths;

    Simulation(Terms terms, SimulatedWeb web) throws IOException {
        this.terms = terms;
        this.world = new World(terms, web);
        this.store = new SimulatedStore(terms.keeping());
        this.frontier = open();
        this.books =
                terms.books()
                        ? Optional.of(new Books(frontier, hostsStayInLine()))
                        : Optional.empty();
    }

    /**
     * With several requests per host, one that meets a closed gate takes its host out of the line;
     * so does a Crawl-delay.
     */
    private boolean hostsStayInLine() {
        return terms.politeness().perHost() == 1 && !world.rules.anyCrawlDelay();
    }

    private Frontier open() throws IOException {
        return terms.onDisk()
                ? DiskFrontier.open(disk, FOLDER, terms.politeness(), terms.disk(), world.wall())
                : WorkbenchFrontier.inMemory(terms.politeness(), world.wall());
    }

    /** Crawls to the end, however many processes it takes. */
    CrawlEnd run() throws IOException {
        return run(_ -> {});
    }

    /** The same, telling the number of requests after every step. */
    CrawlEnd run(LongConsumer progress) throws IOException {
        var end = Optional.<CrawlEnd>empty();
        while (end.isEmpty()) {
            end = live(progress);
        }
        disk.failFrom(0);
        disk.failAt(0); // What was to break and was not reached stays whole.
        disk.crashAt(0);
        disk.failOn(_ -> false);
        frontier.close();
        return end.get();
    }

    private Optional<CrawlEnd> live(LongConsumer progress) throws IOException {
        drawDeath();
        try {
            var life =
                    new Life(
                            world,
                            terms,
                            books.<Frontier>map(b -> b).orElse(frontier),
                            store,
                            robots());
            life.seed();
            while (steps < killAt) {
                var end = life.step();
                if (end.isPresent() && end.get().reason() == CrawlEnd.Reason.BROKEN) {
                    break;
                }
                if (end.isPresent()) {
                    return end;
                }
                steps++;
                progress.accept(world.judge.requests());
            }
        } catch (SimulatedDisk.Crash | IOException | UncheckedIOException e) {
            if (!terms.deaths()) {
                throw e;
            }
        } catch (FrontierFailedException e) {
            if (!terms.deaths() || !(e.getCause() instanceof SimulatedDisk.Crash)) {
                throw e;
            }
        }
        reopen();
        return Optional.empty();
    }

    private RobotsStore robots() throws IOException {
        return terms.onDisk() ? RobotsLog.open(disk, CRAWL, store::committed) : RobotsStore.NOTHING;
    }

    private void drawDeath() {
        if (!terms.deaths()) {
            return;
        }
        var random = world.random;
        next = Death.values()[random.nextInt(Death.values().length)];
        switch (next) {
            case KILLED, POWER_CUT -> killAt = steps + 20 + random.nextInt(900);
            case KILLED_WHILE_WRITING -> {
                killAt = Long.MAX_VALUE;
                disk.crashAt(disk.operations() + 1 + random.nextInt(500));
            }
            case DISK_FULL -> {
                killAt = Long.MAX_VALUE;
                disk.failFrom(disk.operations() + 1 + random.nextInt(500));
            }
            case DISK_FAILING -> {
                // One failure is no more than a delay; something else ends this life.
                killAt = steps + 20 + random.nextInt(900);
                disk.failAt(disk.operations() + 1 + random.nextInt(300));
            }
            case DISK_FULL_WHILE_TIDYING -> {
                // No room for snapshots and segments is no reason to end.
                killAt = steps + 20 + random.nextInt(900);
                disk.failOn(Simulation::isTidied);
            }
        }
    }

    private static boolean isTidied(Path file) {
        var name = file.getFileName().toString();
        return name.startsWith("snapshot-") || name.startsWith("segment-");
    }

    /** Everything but the disk is gone, and some time passes. */
    private void reopen() throws IOException {
        deaths++;
        world.judge.allConnectionsClosed(world.now());
        var powerCut = next == Death.POWER_CUT;
        disk = powerCut ? disk.afterPowerLoss(world.random) : disk.afterCrash();
        var down = powerCut ? 60_000 : 1_000;
        world.passUntil(world.now() + down + world.random.nextInt(2 * down));
        setClock();
        frontier = open();
        store.reopen(frontier.marks());
        var mayLose = powerCut && terms.disk().durability() != Durability.POWER;
        books.ifPresent(kept -> kept.reopened(frontier, mayLose));
    }

    /**
     * Sets the clock back, or forward by as much as passes in truth too: to a process that was not
     * there a clock set forward looks like time gone by, and nobody can promise otherwise.
     */
    private void setClock() {
        switch (world.random.nextInt(6)) {
            case 0 -> world.setWall(-world.random.nextLong(HOURS_MAX * HOUR));
            case 1 -> {
                world.passUntil(world.now() + terms.politeness().hostDelay().toMillis());
                world.setWall(world.random.nextLong(HOURS_MAX * HOUR));
            }
            default -> {}
        }
    }

    Ledger ledger() {
        return frontier.ledger();
    }

    Judge judge() {
        return world.judge;
    }

    Visitors visitors() {
        return world.visitors;
    }

    List<SimulatedStore.Entry> stored() {
        return store.entries();
    }

    int deaths() {
        return deaths;
    }

    Duration elapsed(long since) {
        return Duration.ofMillis(world.now() - since);
    }

    long now() {
        return world.now();
    }
}
