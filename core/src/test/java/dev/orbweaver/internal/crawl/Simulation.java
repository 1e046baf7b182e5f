package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.testkit.SimulatedWeb;

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
 * <p>The process may die at any step and in the middle of any write. Then everything except the
 * disk is lost; the next {@link ProcessRun} opens the disk, possibly with a clock that was set in
 * the meantime. {@link PolitenessChecker} checks from the hosts' side, {@link LedgerChecker} from
 * the frontier's.
 */
final class Simulation {

    /** The start time of every simulation. */
    static final long START = SimulatedEnvironment.START;

    private static final Path CRAWL = Path.of("/crawl");
    private static final Path DIRECTORY = CRAWL.resolve("frontier");
    private static final int HOURS_MAX = 5;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private enum CrashKind {
        KILLED,
        KILLED_WHILE_WRITING,
        DISK_FULL,
        DISK_FAILING,
        DISK_FULL_WHILE_TIDYING,
        POWER_CUT
    }

    private final SimulationSettings settings;
    private final SimulatedEnvironment simulatedEnvironment;
    private final SimulatedSink store;
    private SimulatedDisk disk = new SimulatedDisk();
    private TestFrontier frontier;
    private final Optional<LedgerChecker> ledgerChecker;
    private CrashKind nextCrash = CrashKind.KILLED;
    private long crashAtStep = Long.MAX_VALUE;
    private long steps;
    private int crashes;

    Simulation(SimulationSettings simulationSettings, SimulatedWeb web) throws IOException {
        this.settings = simulationSettings;
        this.simulatedEnvironment = new SimulatedEnvironment(simulationSettings, web);
        this.store = new SimulatedSink(simulationSettings.keepCaptures());
        this.frontier = open();
        this.ledgerChecker =
                simulationSettings.checkLedger()
                        ? Optional.of(new LedgerChecker(frontier.inner, expectsFifo()))
                        : Optional.empty();
    }

    /**
     * With several requests per host, one that meets a closed gate removes its host from the queue
     * of ready hosts; so does a Crawl-delay.
     */
    private boolean expectsFifo() {
        return settings.politeness().concurrencyPerHost() == 1
                && !simulatedEnvironment.rules.anyCrawlDelay();
    }

    private TestFrontier open() throws IOException {
        return settings.onDisk()
                ? TestFrontier.open(
                        disk,
                        DIRECTORY,
                        settings.politeness(),
                        settings.disk(),
                        simulatedEnvironment.wall())
                : TestFrontier.inMemory(settings.politeness(), simulatedEnvironment.wall());
    }

    /** Crawls to the end, restarting the process as often as needed. */
    CrawlEnd run() throws IOException {
        return run(_ -> {});
    }

    /** Crawls to the end and reports the number of requests after every step. */
    CrawlEnd run(LongConsumer progress) throws IOException {
        var end = Optional.<CrawlEnd>empty();
        while (end.isEmpty()) {
            end = runProcess(progress);
        }
        disk.failFrom(0);
        disk.failAt(0); // Cancels a planned failure that was not reached.
        disk.crashAt(0);
        disk.failOn(_ -> false);
        frontier.close();
        return end.get();
    }

    private Optional<CrawlEnd> runProcess(LongConsumer progress) throws IOException {
        planCrash();
        try {
            var processRun =
                    new ProcessRun(
                            simulatedEnvironment,
                            settings,
                            ledgerChecker
                                    .<CrawlFrontier>map(b -> b)
                                    .orElseGet(() -> frontier.crawl(TestFrontier.JOB)),
                            store,
                            robots());
            processRun.seed();
            while (steps < crashAtStep) {
                var end = processRun.step();
                if (end.isPresent() && end.get().reason() == CrawlEnd.Reason.BROKEN) {
                    break;
                }
                if (end.isPresent()) {
                    return end;
                }
                steps++;
                progress.accept(simulatedEnvironment.politenessChecker.requests());
            }
        } catch (SimulatedDisk.Crash | IOException | UncheckedIOException e) {
            if (!settings.crashes()) {
                throw e;
            }
        } catch (FrontierFailedException e) {
            if (!settings.crashes() || !(e.getCause() instanceof SimulatedDisk.Crash)) {
                throw e;
            }
        }
        reopen();
        return Optional.empty();
    }

    private RobotsStore robots() throws IOException {
        return settings.onDisk()
                ? RobotsLog.open(disk, CRAWL, store::committed)
                : RobotsStore.NO_STORE;
    }

    private void planCrash() {
        if (!settings.crashes()) {
            return;
        }
        var random = simulatedEnvironment.random;
        nextCrash = CrashKind.values()[random.nextInt(CrashKind.values().length)];
        switch (nextCrash) {
            case KILLED, POWER_CUT -> crashAtStep = steps + 20 + random.nextInt(900);
            case KILLED_WHILE_WRITING -> {
                crashAtStep = Long.MAX_VALUE;
                disk.crashAt(disk.operations() + 1 + random.nextInt(500));
            }
            case DISK_FULL -> {
                crashAtStep = Long.MAX_VALUE;
                disk.failFrom(disk.operations() + 1 + random.nextInt(500));
            }
            case DISK_FAILING -> {
                // One failure is only a delay; the process dies for another reason.
                crashAtStep = steps + 20 + random.nextInt(900);
                disk.failAt(disk.operations() + 1 + random.nextInt(300));
            }
            case DISK_FULL_WHILE_TIDYING -> {
                // A lack of space for snapshots and segments does not end the process.
                crashAtStep = steps + 20 + random.nextInt(900);
                disk.failOn(Simulation::isTidied);
            }
        }
    }

    private static boolean isTidied(Path file) {
        var name = file.getFileName().toString();
        return name.startsWith("snapshot-") || name.startsWith("segment-");
    }

    /** Restarts the process with only the disk, after some time. */
    private void reopen() throws IOException {
        crashes++;
        simulatedEnvironment.politenessChecker.allConnectionsClosed(simulatedEnvironment.now());
        var powerCut = nextCrash == CrashKind.POWER_CUT;
        disk = powerCut ? disk.afterPowerLoss(simulatedEnvironment.random) : disk.afterCrash();
        var down = powerCut ? 60_000 : 1_000;
        simulatedEnvironment.advanceTo(
                simulatedEnvironment.now() + down + simulatedEnvironment.random.nextInt(2 * down));
        setClock();
        frontier = open();
        store.reopen(frontier.committedLengths());
        var mayLose = powerCut && settings.disk().durability() != Durability.POWER;
        ledgerChecker.ifPresent(kept -> kept.reopened(frontier.inner, mayLose));
    }

    /**
     * Sets the clock back, or forward by the time that really passes. To a process that was not
     * running, a clock set forward looks like elapsed time, which cannot be detected.
     */
    private void setClock() {
        switch (simulatedEnvironment.random.nextInt(6)) {
            case 0 ->
                    simulatedEnvironment.stepClock(
                            -simulatedEnvironment.random.nextLong(HOURS_MAX * HOUR));
            case 1 -> {
                simulatedEnvironment.advanceTo(
                        simulatedEnvironment.now() + settings.politeness().hostDelay().toMillis());
                simulatedEnvironment.stepClock(
                        simulatedEnvironment.random.nextLong(HOURS_MAX * HOUR));
            }
            default -> {}
        }
    }

    Ledger ledger() {
        return frontier.ledger();
    }

    PolitenessChecker politenessChecker() {
        return simulatedEnvironment.politenessChecker;
    }

    RequestCounter visitors() {
        return simulatedEnvironment.requestCounter;
    }

    List<SimulatedSink.Entry> stored() {
        return store.entries();
    }

    int crashes() {
        return crashes;
    }

    Duration elapsed(long since) {
        return Duration.ofMillis(simulatedEnvironment.now() - since);
    }

    long now() {
        return simulatedEnvironment.now();
    }
}
