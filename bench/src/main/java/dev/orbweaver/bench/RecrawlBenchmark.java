package dev.orbweaver.bench;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.revisit.Due;
import dev.orbweaver.internal.revisit.Observation;
import dev.orbweaver.internal.revisit.Observation.Result;
import dev.orbweaver.internal.revisit.RecrawlSimulation;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Day;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Deaf;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Nutch;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Rule;
import dev.orbweaver.internal.revisit.RecrawlSimulation.Scheduled;
import dev.orbweaver.internal.revisit.RevisitSchedule;
import dev.orbweaver.internal.revisit.RevisitSettings;
import dev.orbweaver.internal.revisit.SimulatedPages;
import dev.orbweaver.internal.revisit.SimulatedPages.Weights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * The freshness that the schedule of revisits buys in a year of virtual time, compared with other
 * rules and with the optimum for the true rates; its budget, files and CPU time.
 */
final class RecrawlBenchmark {

    static final Benchmark BENCHMARK =
            new Benchmark(
                    "recrawl",
                    "freshness of pages that are visited again, in virtual time"
                            + " [--pages 100000 --days 365 --seed 1 --millions 10"
                            + " --only fresh|cost]",
                    options -> new RecrawlBenchmark(options).run());

    private static final int BURN_IN = 60;
    private static final double INTERVAL = 30;
    private static final int SETTLE = 150;
    private static final int VISITS = 200_000;
    private static final double HEAP_SLACK = 5;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Options options;
    private final int count;
    private final int days;
    private final double budget;
    private final Map<String, Object> printed = new LinkedHashMap<>();
    private boolean held = true;

    private RecrawlBenchmark(Options options) {
        this.options = options;
        this.count = options.number("pages", 100_000);
        this.days = BURN_IN + options.number("days", 365);
        this.budget = count / INTERVAL;
    }

    private Map<String, Object> run() throws IOException {
        var only = options.text("only", "");
        if (!only.equals("cost")) {
            freshness();
        }
        if (!only.equals("fresh")) {
            var small = cost(1_000_000);
            var large = cost(options.number("millions", 10) * 1_000_000);
            require(large <= small + HEAP_SLACK, "flat heap of the schedule");
        }
        printed.put("cpuSeconds", Cpu.processNanos() / 1e9);
        printed.put(Benchmark.HELD, held);
        return printed;
    }

    private void freshness() throws IOException {
        var plain = zipf();
        signals(plain);
        equal();
        transitions();
    }

    private SimulatedPages pages(Weights weights, double honest, double lying) {
        return new SimulatedPages(options.number("seed", 1), count, weights, honest, lying);
    }

    private void figure(String name, double value) {
        printed.put(name, value);
        System.err.printf("%-32s %.4f%n", name, value);
    }

    private void require(boolean condition, String what) {
        if (!condition) {
            held = false;
            System.err.println("NOT HELD: " + what);
        }
    }

    private double zipf() throws IOException {
        var pages = pages(Weights.ZIPF, 0, 0);
        var uniform = pages.uniform(INTERVAL);
        var optimum = pages.optimum(INTERVAL, false);
        figure("zipf.uniform", uniform);
        figure("zipf.proportional", pages.proportional(INTERVAL));
        figure("zipf.optimum", optimum);
        var nutch = 0.0;
        for (var byScore : List.of(true, false)) {
            var nutchPages = pages(Weights.ZIPF, 0, 0);
            var each = simulate(nutchPages, new Nutch(nutchPages, budget, byScore));
            figure(byScore ? "zipf.nutchByScore" : "zipf.nutchOldest", each);
            nutch = Math.max(nutch, each);
        }
        var auto = scheduled("zipf.auto", pages);
        var closed = (auto - uniform) / (optimum - uniform);
        figure("zipf.gapClosed", closed);
        figure("zipf.timesNutch", auto / nutch);
        require(closed >= 0.8, "gap between uniform and optimum");
        require(auto >= 1.2 * nutch, "1.2 times Nutch");
        return auto;
    }

    private void signals(double plain) throws IOException {
        var pages = pages(Weights.ZIPF, 0.5, 0.2);
        var uniform = pages.uniform(INTERVAL);
        var optimum = pages.optimum(INTERVAL, true);
        figure("signals.optimum", optimum);
        var auto = scheduled("signals.auto", pages);
        var closed = (auto - uniform) / (optimum - uniform);
        figure("signals.gapClosed", closed);
        figure("signals.gapClosedFromNoSignals", (auto - plain) / (optimum - plain));
        require(closed >= 0.8, "gap between uniform and optimum with signals");
        var _ = scheduled("lying.auto", pages(Weights.ZIPF, 0, 0.2));
        var heard = lyingHosts("lying.pagesOfLyingHosts", true);
        var deaf = lyingHosts("lying.theSameWithoutSignals", false);
        require(heard >= deaf - 0.005, "lying hosts no worse than without signals");
    }

    /** The freshness of the pages of lying hosts alone, with their signals or without. */
    private double lyingHosts(String name, boolean withSignals) throws IOException {
        var pages = pages(Weights.ZIPF, 0, 0.2);
        var directory = Files.createTempDirectory("recrawl");
        try (var rule = new Scheduled(pages, directory, budget)) {
            var simulation = new RecrawlSimulation(pages, withSignals ? rule : new Deaf(rule));
            var fresh =
                    RecrawlSimulation.lyingFreshness(simulation.run(days).subList(BURN_IN, days));
            figure(name, fresh);
            return fresh;
        } finally {
            delete(directory);
        }
    }

    private void equal() throws IOException {
        var pages = pages(Weights.EQUAL, 0, 0);
        var uniform = pages.uniform(INTERVAL);
        figure("equal.uniform", uniform);
        figure("equal.optimum", pages.optimum(INTERVAL, false));
        require(scheduled("equal.auto", pages) >= uniform - 0.01, "uniform with equal weights");
    }

    private double simulate(SimulatedPages pages, Rule rule) throws IOException {
        return RecrawlSimulation.freshness(
                new RecrawlSimulation(pages, rule).run(days).subList(BURN_IN, days));
    }

    private double scheduled(String name, SimulatedPages pages) throws IOException {
        var directory = Files.createTempDirectory("recrawl");
        try (var rule = new Scheduled(pages, directory, budget)) {
            var done = new RecrawlSimulation(pages, rule).run(days);
            var fresh = RecrawlSimulation.freshness(done.subList(BURN_IN, days));
            figure(name, fresh);
            budget(name, done.subList(1, days), budget);
            var bytes = (double) rule.schedule().bytes() / count;
            printed.put(name + ".bytesPerPage", bytes);
            require(bytes <= 40, "40 bytes per page");
            return fresh;
        } finally {
            delete(directory);
        }
    }

    private void budget(String name, List<Day> done, double perDay) {
        ToDoubleFunction<Day> error = day -> Math.abs(day.visits() - perDay) / perDay;
        var worst = done.stream().mapToDouble(error).max().orElseThrow();
        var most = done.stream().mapToInt(Day::visitsPerHour).max().orElseThrow();
        printed.put(name + ".budgetErrorMax", worst);
        printed.put(name + ".hourMax", most * 24 / perDay);
        require(worst <= 0.01, name + ": budget within 1 %, was " + worst);
        require(most <= perDay / 24 + 1, name + ": no bursts, was " + most);
    }

    /** Half the budget, and then twice as much again. */
    private void transitions() throws IOException {
        var pages = pages(Weights.ZIPF, 0, 0);
        var directory = Files.createTempDirectory("recrawl");
        try (var rule = new Scheduled(pages, directory, budget)) {
            var simulation = new RecrawlSimulation(pages, rule);
            var _ = simulation.run(2 * BURN_IN);
            rule.budget(budget / 2);
            reached("halved", simulation.run(SETTLE), budget / 2);
            rule.budget(budget);
            reached("doubled", simulation.run(SETTLE), budget);
        } finally {
            delete(directory);
        }
    }

    private void reached(String name, List<Day> done, double perDay) {
        var soon = RecrawlSimulation.freshness(done.subList(30, 45));
        var later = RecrawlSimulation.freshness(done.subList(SETTLE - 45, SETTLE));
        figure(name + ".after30Days", soon);
        figure(name + ".later", later);
        budget(name, done.subList(1, done.size()), perDay);
        require(Math.abs(soon - later) <= 0.01, name + " budget: new level within 30 days");
    }

    /**
     * CPU time of the schedule with this many pages, per page or visit.
     *
     * @return megabytes of heap
     */
    private double cost(int pages) throws IOException {
        var name = "%dm".formatted(pages / 1_000_000);
        var directory = Files.createTempDirectory("recrawl");
        var settings = RevisitSettings.auto(OptionalDouble.of(pages / INTERVAL));
        try (var schedule = RevisitSchedule.open(new RealDisk(), directory, settings, START)) {
            var begun = Cpu.threadNanos();
            for (var page = 0; page < pages; page++) {
                schedule.observe(visit(page, page, at(page * 20.0 / pages), Result.NEW));
            }
            micros(name + ".newPageMicros", begun, pages);
            var time = pass(schedule, 20); // The first pass follows λ's first value.
            schedule.lambda(schedule.lambda() * 1.2);
            begun = Cpu.threadNanos();
            time = pass(schedule, time);
            micros(name + ".rescheduleMicrosPerPage", begun, pages);
            visits(name, schedule, pages, time);
            printed.put(name + ".bytesPerPage", (double) schedule.bytes() / pages);
            require(schedule.bytes() <= 40L * pages, "40 bytes per page");
            var heap = heapMegabytes();
            figure(name + ".heapMegabytes", heap);
            return heap;
        } finally {
            delete(directory);
        }
    }

    private static double heapMegabytes() {
        System.gc();
        var runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) / 1e6;
    }

    /** Computes all due times again, which takes seven days, in steps of a quarter of an hour. */
    private static double pass(RevisitSchedule schedule, double from) {
        var time = from;
        for (var step = 0; step <= 7 * 96; step++) {
            time += 1.0 / 96;
            var _ = schedule.due(at(time), 0);
        }
        return time;
    }

    private void visits(String name, RevisitSchedule schedule, int pages, double from)
            throws IOException {
        var time = from;
        var line = (long) pages;
        var visits = 0;
        var choosing = 0L;
        var observing = 0L;
        // As many visits for any number of pages, so that compilation weighs the same.
        for (var hour = 1; visits < VISITS; hour++) {
            time += 1.0 / 24;
            var begun = Cpu.threadNanos();
            var due = schedule.due(at(time), Integer.MAX_VALUE);
            schedule.offering(due, hour, at(time));
            schedule.offered(due);
            choosing += Cpu.threadNanos() - begun;
            begun = Cpu.threadNanos();
            for (Due each : due) {
                var result = each.first() % 3 == 0 ? Result.CHANGED : Result.UNCHANGED;
                schedule.observe(visit(line++, each.first(), at(time), result));
            }
            observing += Cpu.threadNanos() - begun;
            visits += due.size();
        }
        figure(name + ".dueMicrosPerVisit", choosing / 1e3 / visits);
        figure(name + ".observeMicrosPerVisit", observing / 1e3 / visits);
        require(choosing / 1e3 / visits <= 3, name + ": 3 µs to choose a page");
        require(observing / 1e3 / visits <= 3, name + ": 3 µs to apply a visit");
    }

    private void micros(String name, long begun, int pages) {
        var micros = (Cpu.threadNanos() - begun) / 1e3 / pages;
        figure(name, micros);
        require(micros <= 3, name + ": 3 µs per page");
    }

    private static Observation visit(long line, long first, Instant time, Result result) {
        var hash = new SplittableRandom(first).nextLong();
        return new Observation(
                line,
                first,
                hash,
                first % 20_011,
                first % 2_003,
                time,
                Math.exp((hash >>> 40) / 0x1p24 * 4 - 2),
                result,
                Optional.empty());
    }

    private static Instant at(double days) {
        return START.plus(Duration.ofSeconds((long) (days * 86_400)));
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
