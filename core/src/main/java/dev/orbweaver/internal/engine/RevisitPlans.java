package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.config.RevisitPlan;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.explain.UrlExplanation;
import dev.orbweaver.internal.revisit.DamagedScheduleException;
import dev.orbweaver.internal.revisit.PageState;
import dev.orbweaver.internal.revisit.RevisitExplanation;
import dev.orbweaver.internal.revisit.RevisitSchedule;
import dev.orbweaver.internal.revisit.RevisitSettings;
import dev.orbweaver.internal.revisit.RevisitStatistics;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** Opens the schedule of a crawl's pages, and reads it beside a running crawl. */
public final class RevisitPlans {

    private static final Logger LOG = LoggerFactory.getLogger(RevisitPlans.class);

    private static final double SECONDS_PER_DAY = 86_400;
    private static final double MINUTE_AS_DAYS = 60 / SECONDS_PER_DAY;

    private RevisitPlans() {}

    static RevisitSchedule open(Path crawl, RevisitPlan plan, Instant now) throws IOException {
        return RevisitSchedule.open(
                new RealDisk(), crawl.resolve(DirectoryLayout.REVISITS), settings(plan), now);
    }

    /** Returns the settings of a plan. */
    public static RevisitSettings settings(RevisitPlan plan) {
        var budget =
                plan.visitsPerDay() == Long.MAX_VALUE
                        ? OptionalDouble.empty()
                        : OptionalDouble.of((double) plan.visitsPerDay());
        return plan.mode() == RevisitPlan.Mode.EVERY
                ? RevisitSettings.every(plan.interval(), budget)
                : RevisitSettings.auto(budget);
    }

    /** Returns the figures of a crawl, running or not; empty if it visits no page again. */
    static Optional<RevisitStatistics> statistics(Path crawl, RevisitPlan plan, Instant now)
            throws IOException {
        if (!isPlanned(crawl, plan)) {
            return Optional.empty();
        }
        try (var schedule = read(crawl, plan, now)) {
            return Optional.of(schedule.statistics(now));
        } catch (DamagedScheduleException e) {
            warn(e);
            return Optional.empty();
        }
    }

    private static void warn(DamagedScheduleException e) {
        LOG.warn(
                "{}; the schedule of visits is built from the page log again when the crawl runs",
                e.getMessage());
    }

    /** Returns which pages are due; empty if no schedule knows. */
    static Optional<DueRevisits> due(Path crawl, RevisitPlan plan, Instant now) throws IOException {
        if (!isPlanned(crawl, plan)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new DueRevisits(read(crawl, plan, now), now));
        } catch (DamagedScheduleException e) {
            warn(e);
            return Optional.empty();
        }
    }

    /**
     * Returns the next visit of a page.
     *
     * @param first the line of its first visit
     */
    static Optional<UrlExplanation.NextVisit> nextVisit(
            Path crawl, RevisitPlan plan, long first, Instant now) {
        if (!isPlanned(crawl, plan)) {
            return Optional.empty();
        }
        try (var schedule = read(crawl, plan, now)) {
            return schedule.explain(first, now).map(page -> nextVisit(page, plan));
        } catch (DamagedScheduleException e) {
            warn(e);
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isPlanned(Path crawl, RevisitPlan plan) {
        return plan.isContinuous()
                && RevisitSchedule.exists(new RealDisk(), crawl.resolve(DirectoryLayout.REVISITS));
    }

    private static RevisitSchedule read(Path crawl, RevisitPlan plan, Instant now)
            throws IOException {
        return RevisitSchedule.read(
                new RealDisk(), crawl.resolve(DirectoryLayout.REVISITS), settings(plan), now);
    }

    /** Explains the next visit of a page. */
    public static UrlExplanation.NextVisit nextVisit(RevisitExplanation page, RevisitPlan plan) {
        return new UrlExplanation.NextVisit(
                page.due(), reason(page, plan, "last visit " + page.visited()));
    }

    private static String reason(RevisitExplanation page, RevisitPlan plan, String last) {
        if (page.queued()) {
            return "it is queued for its next visit; " + last;
        }
        if (page.state() == PageState.GONE) {
            return "it was not found twice; " + last;
        }
        if (page.due().isEmpty()) {
            return "the scope does not include it any more; " + last;
        }
        if (page.state() == PageState.MISSING) {
            return "it was not found; a visit a day later confirms it; " + last;
        }
        return plan.mode() == RevisitPlan.Mode.EVERY
                ? "visited every " + text(plan.interval()) + "; " + last
                : policy(page, last)
                        + page.sourceInterval()
                                .map(
                                        longest ->
                                                "; new pages and changes are known from it, so it"
                                                        + " is visited every "
                                                        + text(longest)
                                                        + " or more often")
                                .orElse("");
    }

    private static String policy(RevisitExplanation page, String last) {
        return String.format(
                Locale.ROOT,
                "it changes about every %s (estimated); %s; %d signals of a change since; the"
                    + " stored page is the current one with a probability of %.0f %%; a visit now"
                    + " has the value %.3g (importance %.2g), pages are visited from λ = %.3g",
                text(interval(page.changesPerDay())),
                last,
                page.signals(),
                100 * page.fresh(),
                page.value(),
                page.importance(),
                page.lambda());
    }

    private static Duration interval(double changesPerDay) {
        var days = Math.clamp(1 / Math.max(changesPerDay, 1e-9), MINUTE_AS_DAYS, 1e5);
        return Duration.ofSeconds(Math.round(days * SECONDS_PER_DAY));
    }

    /** Formats a duration with two digits or so. */
    private static String text(Duration time) {
        if (time.toDays() >= 3) {
            return time.toDays() + " days";
        }
        if (time.toHours() >= 3) {
            return time.toHours() + " hours";
        }
        return time.toMinutes() >= 3 ? time.toMinutes() + " minutes" : time.toSeconds() + " s";
    }
}
