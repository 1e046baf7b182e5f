package dev.orbweaver.internal.revisit;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.revisit.Observation.Result;
import dev.orbweaver.internal.revisit.Observation.Role;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/** Runs a {@link RevisitSchedule}, or a rule to compare with, over simulated pages. */
public final class RecrawlSimulation {

    /** Chooses pages to visit. */
    public interface Rule {

        /** Returns the pages to visit at a time. */
        List<Integer> due(double days) throws IOException;

        void visited(int page, double days, boolean changed) throws IOException;

        default void signal(int page, double days) {}
    }

    /**
     * What happened on one day.
     *
     * @param freshness weighted share of time in which copies were fresh
     * @param lyingFreshness the same of the pages of lying hosts
     * @param visitsPerHour the most visits in an hour
     */
    public record Day(double freshness, double lyingFreshness, int visits, int visitsPerHour) {}

    private static final int HOURS = 24;

    private final SimulatedPages pages;
    private final Rule rule;

    public RecrawlSimulation(SimulatedPages pages, Rule rule) {
        this.pages = pages;
        this.rule = rule;
    }

    public List<Day> run(int days) throws IOException {
        var done = new ArrayList<Day>();
        for (var day = 0; day < days; day++) {
            var area = 0.0;
            var visits = 0;
            var most = 0;
            for (var hour = 0; hour < HOURS; hour++) {
                var end = pages.now() + 1.0 / HOURS;
                area += pages.advance(1.0 / HOURS, page -> rule.signal(page, end));
                var due = rule.due(pages.now());
                for (var page : due) {
                    rule.visited(page, pages.now(), pages.visit(page));
                }
                visits += due.size();
                most = Math.max(most, due.size());
            }
            done.add(new Day(area / pages.count(), pages.takeLyingFreshness(1), visits, most));
        }
        return done;
    }

    /** The mean freshness of some days. */
    public static double freshness(List<Day> days) {
        return days.stream().mapToDouble(Day::freshness).average().orElseThrow();
    }

    /** The mean freshness of the pages of lying hosts. */
    public static double lyingFreshness(List<Day> days) {
        return days.stream().mapToDouble(Day::lyingFreshness).average().orElseThrow();
    }

    /** A rule that gets no signals. */
    public record Deaf(Rule rule) implements Rule {

        @Override
        public List<Integer> due(double days) throws IOException {
            return rule.due(days);
        }

        @Override
        public void visited(int page, double days, boolean changed) throws IOException {
            rule.visited(page, days, changed);
        }
    }

    /** The rule of the crawler, with its files in a directory. */
    public static final class Scheduled implements Rule, AutoCloseable {

        private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

        private final SimulatedPages pages;
        private final Path directory;
        private final List<Signal> signals = new ArrayList<>();
        private final Set<Integer> lists;
        private RevisitSchedule schedule;
        private long line;
        private long batch;

        public Scheduled(SimulatedPages pages, Path directory, double visitsPerDay)
                throws IOException {
            this(pages, directory, visitsPerDay, Set.of());
        }

        /**
         * @param lists the pages that are sitemaps and feeds
         */
        Scheduled(SimulatedPages pages, Path directory, double visitsPerDay, Set<Integer> lists)
                throws IOException {
            this.lists = lists;
            this.pages = pages;
            this.directory = directory;
            this.schedule = open(visitsPerDay, 0);
            for (var page = 0; page < pages.count(); page++) {
                observe(page, page, 0, Result.NEW);
            }
        }

        private RevisitSchedule open(double visitsPerDay, double days) throws IOException {
            return RevisitSchedule.open(
                    new RealDisk(),
                    directory,
                    RevisitSettings.auto(OptionalDouble.of(visitsPerDay)),
                    instant(days));
        }

        /** Opens the schedule again, with another budget. */
        public void budget(double visitsPerDay) throws IOException {
            schedule.close();
            schedule = open(visitsPerDay, pages.now());
        }

        private static Instant instant(double days) {
            return START.plus(Duration.ofSeconds(Math.round(days * 86_400)));
        }

        private void observe(int page, long first, double days, Result result) throws IOException {
            schedule.observe(
                    new Observation(
                                    line++,
                                    first,
                                    hash(page),
                                    hash(-pages.pattern(page) - 1),
                                    hash(Integer.MIN_VALUE + pages.host(page)),
                                    instant(days),
                                    pages.weight(page),
                                    result,
                                    Optional.empty())
                            .withRole(lists.contains(page) ? Role.LIST : Role.PAGE));
        }

        private static long hash(long number) {
            var mixed = (number + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
            return (mixed ^ mixed >>> 29) * 0x94D049BB133111EBL;
        }

        @Override
        public List<Integer> due(double days) {
            if (!signals.isEmpty()) {
                schedule.signals(signals, instant(days));
                signals.clear();
            }
            var due = schedule.due(instant(days), Integer.MAX_VALUE);
            if (!due.isEmpty()) {
                schedule.offering(due, ++batch, instant(days));
                schedule.offered(due);
            }
            return due.stream().map(each -> (int) each.first()).toList();
        }

        @Override
        public void visited(int page, double days, boolean changed) throws IOException {
            observe(page, page, days, changed ? Result.CHANGED : Result.UNCHANGED);
        }

        @Override
        public void signal(int page, double days) {
            signals.add(
                    new Signal(
                            hash(page), hash(Integer.MIN_VALUE + pages.host(page)), instant(days)));
        }

        Instant now() {
            return instant(pages.now());
        }

        public RevisitSchedule schedule() {
            return schedule;
        }

        @Override
        public void close() {
            schedule.close();
        }
    }

    /** Visits every page at the same interval. */
    public static final class Uniform implements Rule {

        private final int pages;
        private final double perDay;
        private double visited;
        private int next;

        public Uniform(SimulatedPages pages, double perDay) {
            this.pages = pages.count();
            this.perDay = perDay;
        }

        @Override
        public List<Integer> due(double days) {
            var due = new ArrayList<Integer>();
            for (; visited < perDay * days; visited++) {
                due.add(next);
                next = (next + 1) % pages;
            }
            return due;
        }

        @Override
        public void visited(int page, double days, boolean changed) {}
    }

    /**
     * The rule of Nutch's AdaptiveFetchSchedule with its default rates: the interval grows by 0.4
     * without a change and shrinks by 0.2 with one, between a minute and a year. Of the pages that
     * are due, the generator takes those of the highest score, or those that are due longest.
     */
    public static final class Nutch implements Rule {

        private final SimulatedPages pages;
        private final double perDay;
        private final boolean byScore;
        private final double[] interval;
        private final double[] due;

        public Nutch(SimulatedPages pages, double perDay, boolean byScore) {
            this.pages = pages;
            this.perDay = perDay;
            this.byScore = byScore;
            this.interval = new double[pages.count()];
            this.due = new double[pages.count()];
            Arrays.fill(interval, 30);
            Arrays.fill(due, 30);
        }

        /** One cycle of generate, fetch and update per day. */
        @Override
        public List<Integer> due(double days) {
            if (Math.round(days * HOURS) % HOURS != 0) {
                return List.of();
            }
            var found = new long[due.length];
            var count = 0;
            for (var page = 0; page < due.length; page++) {
                if (due[page] <= days) {
                    var order = byScore ? (float) (1 / pages.weight(page)) : (float) due[page];
                    found[count++] = ((long) Float.floatToIntBits(order) << 32) | page;
                }
            }
            Arrays.sort(found, 0, count);
            var most = (int) Math.min(count, perDay);
            return Arrays.stream(found, 0, most).mapToObj(each -> (int) each).toList();
        }

        @Override
        public void visited(int page, double days, boolean changed) {
            interval[page] = Math.clamp(interval[page] * (changed ? 0.8 : 1.4), 1.0 / 1_440, 365.0);
            due[page] = days + interval[page];
        }
    }
}
