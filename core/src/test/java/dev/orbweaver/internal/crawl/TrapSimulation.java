package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.testkit.CrawlAssumptions;
import dev.orbweaver.testkit.GroundTruth;
import dev.orbweaver.testkit.Hazard;
import dev.orbweaver.testkit.SimulatedWeb;
import dev.orbweaver.testkit.WebSpec;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Crawls a web with traps of every kind in virtual time, and the same web without them. */
public final class TrapSimulation {

    private static final Hazard[] TRAPS = {
        Hazard.CALENDAR,
        Hazard.SESSION_IDS,
        Hazard.REPEATING_PATHS,
        Hazard.FACETS,
        Hazard.SOFT_404,
        Hazard.SUBDOMAINS
    };
    private static final int PAGE_BYTES = 1_500;

    private TrapSimulation() {}

    /**
     * The result.
     *
     * @param honest pages of the web that a crawler should fetch
     * @param got how many of them it fetched
     * @param wasted requests into traps
     * @param slowest slowdown of the host without traps that lost most, compared with a web without
     *     traps
     * @param slowestTrapped the same for hosts with traps, by their own pages
     */
    public record TrapStats(
            long seed,
            int honest,
            int got,
            long requests,
            long wasted,
            double slowest,
            double slowestTrapped) {

        /** Returns the share of the honest pages that was fetched. */
        public double gotShare() {
            return (double) got / honest;
        }

        /** Returns the share of wasted requests. */
        public double wastedShare() {
            return (double) wasted / requests;
        }
    }

    /**
     * Crawls one simulated web.
     *
     * @param wily whether the traps are disguised
     */
    public static TrapStats crawl(long seed, int hosts, int pages, boolean wily)
            throws IOException {
        return crawl(seed, hosts, pages, wily, TrapSettings.DEFAULT, 2L * pages);
    }

    static TrapStats crawl(
            long seed, int hosts, int pages, boolean wily, TrapSettings traps, long pagesMax)
            throws IOException {
        var tame = WebSpec.light(seed, hosts, pages).withMeanPageBytes(PAGE_BYTES);
        var zoo = tame.with(TRAPS);
        var web = SimulatedWeb.of(wily ? zoo.with(Hazard.DISGUISED_TRAPS) : zoo);
        var among = run(web, seed, traps, pagesMax);
        var alone = run(SimulatedWeb.of(tame), seed, traps, Long.MAX_VALUE);
        var honest = pagesOf(web);
        var got = new HashSet<String>();
        for (var entry : among.stored()) {
            if (entry.kind() == Kind.PAGE && honest.contains(entry.url())) {
                got.add(entry.url());
            }
        }
        return new TrapStats(
                seed,
                honest.size(),
                got.size(),
                among.visitors().requests(),
                among.visitors().wasted(),
                slowest(among, alone, false),
                slowest(among, alone, true));
    }

    private static Map<String, Integer> byHost(Simulation simulation) {
        var byHost = new TreeMap<String, Integer>();
        simulation
                .visitors()
                .inTraps()
                .forEach((host, n) -> byHost.merge(ownHost(host), n, Integer::sum));
        return byHost;
    }

    /** Returns the host above a generated name: h012.site012.test for w7.h012.site012.test. */
    private static String ownHost(String name) {
        return name.startsWith("w") || name.startsWith("x")
                ? name.substring(name.indexOf('.') + 1)
                : name;
    }

    private static Simulation run(SimulatedWeb web, long seed, TrapSettings traps, long pagesMax)
            throws IOException {
        var plain = SimulationSettings.fixed(seed, Duration.ofSeconds(1), false, pagesMax);
        var simulationSettings =
                new SimulationSettings(
                        seed,
                        plain.politeness(),
                        256,
                        false,
                        false,
                        true,
                        false,
                        traps,
                        pagesMax,
                        plain.disk());
        var simulation = new Simulation(simulationSettings, web);
        var _ = simulation.run();
        return simulation;
    }

    private static Set<String> pagesOf(SimulatedWeb web) {
        return GroundTruth.of(
                        web,
                        SimulatedEnvironment.PORT,
                        List.of(web.hubUrl(SimulatedEnvironment.PORT)),
                        CrawlAssumptions.polite(
                                CrawlAssumptions.ANY, FileExtensions.SKIPPED_BY_DEFAULT))
                .pages();
    }

    private static double slowest(Simulation among, Simulation alone, boolean trapped) {
        var slowest = 0.0;
        var traps = byHost(among).keySet();
        for (var host : alone.visitors().lastHonest().keySet()) {
            var with = among.visitors().lastHonest().getOrDefault(host, Long.MAX_VALUE);
            var without = alone.visitors().lastHonest().get(host);
            if (traps.contains(host) == trapped) {
                var ratio = (double) (with - Simulation.START) / (without - Simulation.START);
                slowest = Math.max(slowest, ratio);
            }
        }
        return slowest;
    }
}
