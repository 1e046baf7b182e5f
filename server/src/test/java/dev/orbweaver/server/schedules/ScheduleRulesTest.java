package dev.orbweaver.server.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.schedules.Schedule.Missed;
import dev.orbweaver.server.schedules.Schedule.Overlap;
import dev.orbweaver.server.schedules.Schedule.Planned;
import dev.orbweaver.server.schedules.Schedule.Run;
import dev.orbweaver.server.schedules.Schedule.Run.Outcome;
import dev.orbweaver.server.schedules.Schedule.Terms;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** What becomes of every run of a schedule. */
class ScheduleRulesTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final JobRequest JOB =
            new JobRequest(List.of("https://a.test/"), "{}", 1, Optional.empty(), Optional.empty());

    private static Schedule schedule(Timetable timetable, Overlap overlap, Missed missed) {
        return Schedule.of(
                1, new Terms("test", timetable, JOB, false, overlap, missed), false, START);
    }

    /**
     * A service in virtual time: jobs by idempotency key, and the stored schedule. It can be killed
     * between any two steps, and is down for some time then.
     */
    private static final class Service {

        private final Random random;
        private final double killRate;
        private final Map<String, JobId> jobs = new HashMap<>();
        private final Map<JobId, Instant> ends = new HashMap<>();
        private final Map<Instant, Integer> started = new HashMap<>();
        private final Map<Instant, String> skipped = new HashMap<>();
        private final Set<Instant> late = new HashSet<>();
        private final MinuteOracle oracle;
        private final ZoneId zone;
        private Schedule stored;
        private Instant now = START;
        private int kills;

        Service(
                Schedule schedule,
                Random random,
                double killRate,
                MinuteOracle oracle,
                ZoneId zone) {
            this.stored = schedule;
            this.random = random;
            this.killRate = killRate;
            this.oracle = oracle;
            this.zone = zone;
        }

        private boolean isOpen(JobId job) {
            return ends.getOrDefault(job, Instant.MIN).isAfter(now);
        }

        /** Returns true if the service is killed here. */
        private boolean isKilled() {
            if (random.nextDouble() >= killRate) {
                return false;
            }
            kills++;
            stored = Schedule.fromJson(stored.toJson()); // A new process reads it.
            // From a restart at once to an outage of four days.
            now = now.plusSeconds((long) Math.pow(345_600, random.nextDouble()));
            return true;
        }

        /** Runs until the end, or until the service is killed. */
        void run(Instant end) {
            while (now.isBefore(end)) {
                if (!step() || isKilled()) {
                    continue;
                }
                now = wakeUp();
            }
        }

        /** Returns when something may be due; the thread wakes up a little late. */
        private Instant wakeUp() {
            var next = stored.next().orElseThrow();
            if (!next.isAfter(now)) {
                return now;
            }
            var wake = next.plusMillis(random.nextInt(900));
            var end =
                    stored.queued().isPresent()
                            ? stored.lastJob().map(job -> ends.getOrDefault(job, now)).orElse(now)
                            : wake;
            return end.isBefore(wake) ? end : wake;
        }

        /** Decides, submits and records, with a kill between any two; false if killed. */
        private boolean step() {
            var before = stored;
            var after = ScheduleRules.decide(before, now, this::isOpen);
            if (isKilled()) {
                return false;
            }
            stored = after;
            note(before, after);
            if (isKilled()) {
                return false;
            }
            if (after.starting().isEmpty()) {
                return true;
            }
            var run = after.starting().get();
            var job = submit(after.key(run), run);
            if (isKilled()) {
                return false;
            }
            stored = ScheduleRules.started(after, run, job, now);
            return true;
        }

        private JobId submit(String key, Planned run) {
            return jobs.computeIfAbsent(
                    key,
                    _ -> {
                        var job = new JobId(jobs.size() + 1);
                        var minutes = (long) Math.pow(3_000, random.nextDouble());
                        ends.put(job, now.plus(Duration.ofMinutes(minutes)));
                        started.merge(run.at(), 1, Integer::sum);
                        return job;
                    });
        }

        /** Checks each decision against the rules and remembers what was skipped. */
        private void note(Schedule before, Schedule after) {
            var due = oracle.planned(zone, before.decided().plusSeconds(60), now.plusNanos(1));
            due.removeIf(time -> time.isAfter(after.decided()));
            if (!after.decided().equals(before.decided())) {
                assertThat(due).isNotEmpty();
                assertThat(after.decided()).isEqualTo(due.getLast());
            } else {
                assertThat(due).isEmpty();
            }
            for (var time : due) {
                var taken = new Planned(time, false);
                var isTaken =
                        after.starting().filter(taken::equals).isPresent()
                                || after.queued().filter(taken::equals).isPresent();
                var isLast = time.equals(due.getLast());
                var isLate = time.isBefore(now.minusSeconds(60));
                if (!isLast) {
                    assertThat(isTaken).as("only the latest of %s", due).isFalse();
                    skipped.put(time, "missed");
                } else if (isLate && before.missed() == Missed.SKIP) {
                    assertThat(isTaken).as("a missed run at %s", time).isFalse();
                    skipped.put(time, "missed");
                } else {
                    var open = before.lastJob().filter(this::isOpen).isPresent();
                    var full = before.queued().isPresent();
                    var expected = before.overlap() == Overlap.QUEUE ? !full : !open;
                    assertThat(isTaken).as("run at %s", time).isEqualTo(expected);
                    if (!isTaken) {
                        skipped.put(time, "overlap");
                    } else if (isLate) {
                        late.add(time);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "*/30 * * * *,Europe/Berlin,SKIP,SKIP",
        "*/30 * * * *,Europe/Berlin,QUEUE,CATCH_UP",
        "15 2 * * *,Europe/Berlin,QUEUE,CATCH_UP",
        "15 2 * * *,America/New_York,SKIP,CATCH_UP",
        "'0,30 1-3 * * *',Australia/Lord_Howe,QUEUE,SKIP",
    })
    void overAYearWithKillsEveryRunIsStartedOnceOrSkippedByRule(
            String expression, String zone, Overlap overlap, Missed missed) {
        var seed = Long.getLong("orbweaver.seed", 22L);
        var id = ZoneId.of(zone);
        var end = START.plus(Duration.ofDays(365));
        var oracle = new MinuteOracle(expression);
        var planned = oracle.planned(id, START.plusSeconds(60), end);
        // About forty kills a year, at any rate of runs.
        var killRate = Math.min(0.05, 13.0 / planned.size());
        var service =
                new Service(
                        schedule(Timetable.cron(expression, zone), overlap, missed),
                        new Random(seed),
                        killRate,
                        oracle,
                        id);
        service.run(end);
        var last = service.stored;
        var open = new HashSet<Instant>();
        last.starting().ifPresent(run -> open.add(run.at()));
        last.queued().ifPresent(run -> open.add(run.at()));
        planned.removeIf(time -> time.isAfter(last.decided()));
        for (var time : planned) {
            var fates =
                    service.started.getOrDefault(time, 0)
                            + (service.skipped.containsKey(time) ? 1 : 0)
                            + (open.contains(time) && !service.started.containsKey(time) ? 1 : 0);
            assertThat(fates).as("run at %s, seed %d", time, seed).isEqualTo(1);
        }
        assertThat(service.started.keySet()).isSubsetOf(new HashSet<>(planned));
        var recorded = last.runs().stream().mapToLong(Run::count).sum() + last.dropped();
        assertThat(recorded + open.size()).isEqualTo(planned.size());
        System.out.printf(
                "%s %s %s %s: %d planned, %d started (%d late), %d skipped, %d kills%n",
                expression,
                zone,
                overlap,
                missed,
                planned.size(),
                service.started.size(),
                service.late.size(),
                service.skipped.size(),
                service.kills);
        assertThat(service.kills).isGreaterThan(5);
        assertThat(service.skipped).containsValue("missed");
        assertThat(service.late.isEmpty()).isEqualTo(missed == Missed.SKIP);
    }

    @Test
    void aPausedSchedulePlansNothingAndKeepsItsQueuedRun() {
        var hourly = Timetable.cron("@hourly", "UTC");
        var paused =
                schedule(hourly, Overlap.QUEUE, Missed.CATCH_UP)
                        .withQueued(Optional.of(new Planned(START, false)))
                        .withPaused(true);
        var later = START.plus(Duration.ofDays(3));
        assertThat(paused.next()).isEmpty();
        assertThat(ScheduleRules.decide(paused, later, _ -> false)).isEqualTo(paused);
        var resumed = paused.withPaused(false).withDecided(later);
        assertThat(ScheduleRules.decide(resumed, later, _ -> false).starting())
                .contains(new Planned(START, false));
    }

    @Test
    void consecutiveRunsThatAreSkippedForOneReasonAreOneEntryOfTheHistory() {
        var schedule =
                schedule(Timetable.cron("* * * * *", "UTC"), Overlap.SKIP, Missed.SKIP)
                        .withRun(
                                new Run(
                                        START,
                                        START,
                                        1,
                                        false,
                                        Outcome.STARTED,
                                        START,
                                        Optional.of(new JobId(7)),
                                        ""));
        var now = START;
        for (var i = 0; i < 100; i++) {
            now = now.plusSeconds(60);
            schedule = ScheduleRules.decide(schedule, now, _ -> true);
        }
        assertThat(schedule.runs()).hasSize(2);
        assertThat(schedule.runs().getLast().count()).isEqualTo(100);
        assertThat(schedule.runs().getLast().at()).isEqualTo(START.plusSeconds(60));
        assertThat(schedule.runs().getLast().until()).isEqualTo(now);
        assertThat(schedule.runs().getLast().reason()).isEqualTo("Job 7 had not ended.");
    }

    @Test
    void theHistoryIsBoundedAndCountsWhatItDropped() {
        var schedule = schedule(Timetable.cron("@daily", "UTC"), Overlap.SKIP, Missed.SKIP);
        var times = new ArrayList<Instant>();
        for (var i = 0; i < 2 * Schedule.RUNS_MAX; i++) {
            var run = new Planned(START.plusSeconds(i), true);
            times.add(run.at());
            schedule = ScheduleRules.start(schedule, run, run.at(), _ -> false);
            schedule = ScheduleRules.started(schedule, run, new JobId(i), run.at());
        }
        assertThat(schedule.runs()).hasSize(Schedule.RUNS_MAX);
        assertThat(schedule.dropped()).isEqualTo(Schedule.RUNS_MAX);
        assertThat(schedule.runs().getLast().at()).isEqualTo(times.getLast());
        assertThat(schedule.lastJob()).contains(new JobId(2 * Schedule.RUNS_MAX - 1));
        assertThat(Schedule.fromJson(schedule.toJson())).isEqualTo(schedule);
    }
}
