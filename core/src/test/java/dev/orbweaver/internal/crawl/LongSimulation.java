package dev.orbweaver.internal.crawl;

import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.function.LongConsumer;

/** A crawl in virtual time that lasts for days, to check many requests. */
public final class LongSimulation {

    private static final int PAGE_BYTES = 120;

    private final SimulatedWeb web;
    private final SimulationSettings settings;

    private LongSimulation(SimulatedWeb web, SimulationSettings simulationSettings) {
        this.web = web;
        this.settings = simulationSettings;
    }

    /** The result. */
    public record LongRunStats(long requests, long pages, long days, String traceHash) {}

    /**
     * Creates a crawl of this size, slow enough to take the given number of days.
     *
     * @param onDisk whether the frontier keeps its journal on a simulated disk
     */
    public static LongSimulation of(long seed, int hosts, int pages, int days, boolean onDisk) {
        var quirks =
                EnumSet.complementOf(
                        EnumSet.of(
                                Quirk.ROBOTS_UNREACHABLE, Quirk.SLOW_PAGES, Quirk.TRANSFER_FORMS));
        var spec = new WebSpec(seed, hosts, pages, PAGE_BYTES, 0, 100, quirks);
        var delay = Duration.ofDays(days).dividedBy(Math.max(1, pages / hosts));
        return new LongSimulation(
                SimulatedWeb.of(spec),
                SimulationSettings.fixed(seed, delay, onDisk, Long.MAX_VALUE));
    }

    /** Crawls to the end and reports the number of requests after every step. */
    public LongRunStats run(LongConsumer progress) throws IOException {
        var simulation = new Simulation(settings, web);
        var began = simulation.now();
        var _ = simulation.run(progress);
        return new LongRunStats(
                simulation.politenessChecker().requests(),
                simulation.ledger().pages(),
                simulation.elapsed(began).toDays(),
                Long.toHexString(simulation.politenessChecker().trace()));
    }
}
