package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.model.Capture;
import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.testing.Golden;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testkit.CrawlAssumptions;
import dev.orbweaver.testkit.GroundTruth;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Crawls in virtual time with many seeds, each dying at random steps, checked at every step. Run
 * with {@code -Dorbweaver.seed=N} to repeat one, {@code -Dorbweaver.seeds=N} to run more of them.
 */
class SimulationTest {

    private static final long FAST_SEEDS = 25;

    /** Torn journals and lost leases are logged as they should be, thousands of times here. */
    private static final Logger REPORTS = Logger.getLogger("dev.orbweaver");

    @BeforeAll
    static void leaveReportsOut() {
        REPORTS.setLevel(Level.SEVERE);
    }

    @AfterAll
    static void letReportsIn() {
        REPORTS.setLevel(null);
    }

    /** Every second web is large enough for dead hosts, Crawl-delays and hosts that deny all. */
    private static SimulatedWeb web(long seed) {
        var spec = seed % 2 == 0 ? WebSpec.light(seed, 8, 50) : WebSpec.light(seed, 14, 60);
        return SimulatedWeb.of(spec.withMeanPageBytes(500));
    }

    static Simulation crawl(long seed) throws IOException {
        var simulation = new Simulation(SimulationSettings.random(seed), web(seed));
        var _ = simulation.run();
        return simulation;
    }

    @Test
    void everySeedEndsWithTheExactResultDespiteCrashes() throws Exception {
        var only = Long.getLong("orbweaver.seed");
        if (only == null) {
            crawlAndCheck(1, FAST_SEEDS);
        } else {
            crawlAndCheck(only, only);
        }
    }

    @Slow
    @Test
    void moreSeedsEndWithExactlyTheTruthToo() throws Exception {
        crawlAndCheck(FAST_SEEDS + 1, Long.getLong("orbweaver.seeds", 300));
    }

    private static void crawlAndCheck(long first, long last) throws Exception {
        var requests = 0L;
        var deaths = 0L;
        for (var seed = first; seed <= last; seed++) {
            try {
                var simulation = crawl(seed);
                check(seed, simulation);
                requests += simulation.politenessChecker().requests();
                deaths += simulation.crashes();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "replay with -Dorbweaver.seed="
                                + seed
                                + ": "
                                + SimulationSettings.random(seed),
                        e);
            }
        }
        System.out.println(
                "SimulationTest: %d seeds, %d requests, %d deaths"
                        .formatted(last - first + 1, requests, deaths));
    }

    static void check(long seed, Simulation simulation) {
        var web = web(seed);
        var groundTruth =
                GroundTruth.of(
                        web,
                        SimulatedEnvironment.PORT,
                        List.of(web.hubUrl(SimulatedEnvironment.PORT)),
                        CrawlAssumptions.polite(
                                CrawlAssumptions.ANY, FileExtensions.SKIPPED_BY_DEFAULT));
        var pages = new TreeSet<String>();
        for (var entry : simulation.stored()) {
            if (entry.kind() == Capture.Kind.PAGE) {
                assertThat(pages.add(entry.url())).as("once: %s", entry.url()).isTrue();
            }
        }
        assertThat(pages).isEqualTo(groundTruth.pages());
        assertThat(simulation.ledger().leased()).isZero();
        assertThat(simulation.ledger().pages()).isEqualTo(pages.size());
    }

    @Test
    void theSameSeedGivesTheSameCrawl() throws Exception {
        assertThat(crawl(3).politenessChecker().trace())
                .isEqualTo(crawl(3).politenessChecker().trace());
        assertThat(crawl(3).politenessChecker().trace())
                .isNotEqualTo(crawl(4).politenessChecker().trace());
    }

    @Test
    void twentyThousandRequestsLeaveTheSameTraceOnEveryMachine() throws Exception {
        var text = new StringBuilder();
        for (var onDisk : new boolean[] {false, true}) {
            var longRunStats = LongSimulation.of(1, 100, 20_000, 1, onDisk).run(_ -> {});
            text.append(onDisk ? "disk " : "memory ").append(longRunStats).append('\n');
        }
        Golden.check("simulation.txt", text.toString());
    }
}
