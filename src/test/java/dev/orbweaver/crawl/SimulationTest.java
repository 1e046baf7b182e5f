package dev.orbweaver.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.lab.CrawlTerms;
import dev.orbweaver.lab.SimulatedWeb;
import dev.orbweaver.lab.Truth;
import dev.orbweaver.lab.WebSpec;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Extensions;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.TreeSet;

/**
 * Crawls in virtual time, many seeds, each killed at random steps, judged at every step. Run with
 * {@code -Dorbweaver.seed=N} to see one again, {@code -Dorbweaver.seeds=N} to see more of them.
 */
class SimulationTest {

    private static final Politeness POLITENESS =
            new Politeness(
                    Duration.ofSeconds(1),
                    Duration.ofMillis(300),
                    Duration.ZERO,
                    1,
                    Duration.ofMinutes(10));

    private static SimulatedWeb web(long seed) {
        return SimulatedWeb.of(WebSpec.light(seed, 8, 60).withMeanPageBytes(600));
    }

    private static Simulation crawl(long seed, boolean kills) throws Exception {
        var simulation = new Simulation(seed, web(seed), POLITENESS, kills);
        simulation.run();
        return simulation;
    }

    @Test
    void everySeedEndsWithExactlyTheTruthHoweverOftenItIsKilled() throws Exception {
        var only = Long.getLong("orbweaver.seed");
        var first = only == null ? 1 : only;
        var last = only == null ? Long.getLong("orbweaver.seeds", 500) : only;
        var requests = 0L;
        var kills = 0L;
        for (var seed = first; seed <= last; seed++) {
            try {
                var simulation = crawl(seed, true);
                check(seed, simulation);
                requests += simulation.judge.requests;
                kills += simulation.killed;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("replay with -Dorbweaver.seed=" + seed, e);
            }
        }
        System.out.println(
                "SimulationTest: %d seeds, %d requests, %d kills"
                        .formatted(last - first + 1, requests, kills));
    }

    private static void check(long seed, Simulation simulation) {
        var web = web(seed);
        var truth =
                Truth.of(
                        web,
                        Simulation.PORT,
                        List.of(web.hubUrl(Simulation.PORT)),
                        CrawlTerms.polite(CrawlTerms.ANY, Extensions.SKIPPED_BY_DEFAULT));
        var pages = new TreeSet<String>();
        for (var capture : simulation.store) {
            if (capture.kind() == Capture.Kind.PAGE) {
                assertThat(pages.add(capture.url().text())).as("once: %s", capture.url()).isTrue();
            }
        }
        assertThat(pages).isEqualTo(truth.pages());
    }

    @Test
    void theSameSeedGivesTheSameCrawl() throws Exception {
        assertThat(crawl(3, true).judge.trace()).isEqualTo(crawl(3, true).judge.trace());
        assertThat(crawl(3, true).judge.trace()).isNotEqualTo(crawl(4, true).judge.trace());
    }
}
