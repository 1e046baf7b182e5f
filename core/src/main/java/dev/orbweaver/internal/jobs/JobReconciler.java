package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlEnd.Reason;

import java.time.Duration;
import java.util.Set;

/**
 * Decides which action a job's crawl in this process needs, from the job's recorded state and the
 * crawl's state.
 *
 * <p>It has no thread, clock or I/O: the caller reads both states, executes the action, and calls
 * again when either has changed. An action may be executed twice.
 *
 * @param fleet whether other processes crawl the jobs too: a crawl that fails here is then retried
 *     here and does not affect its job's state
 */
public record JobReconciler(boolean fleet) {

    private static final Duration STOP_GRACE = Duration.ofSeconds(10);
    private static final Set<Reason> BROKEN_OFF =
            Set.of(Reason.WAITING, Reason.BROKEN, Reason.INTERNAL);

    /** The crawl of a job in this process. */
    public sealed interface CrawlState {

        record None() implements CrawlState {}

        /**
         * It is running.
         *
         * @param stopping whether it was requested to end
         * @param outdated whether the job has changed since the crawl was started
         */
        record Active(boolean stopping, boolean outdated) implements CrawlState {}

        /** It has ended, and the job's record does not have that yet. */
        record Ended(CrawlEnd end, boolean outdated) implements CrawlState {}
    }

    /** The action that the caller must execute. */
    public sealed interface Action {

        /** Start a crawl, if there is capacity for one. */
        record Start() implements Action {}

        /** Let the crawl lease URLs, and record that the job is running. */
        record Resume() implements Action {}

        /** Let the crawl lease no more URLs. */
        record Pause() implements Action {}

        /** Request the crawl to end within the grace period. */
        record Stop(Duration grace) implements Action {}

        /** Record the end of the crawl as the end of the job, then forget the crawl. */
        record Finish(CrawlEnd end) implements Action {}

        /** Forget the crawl, and start another one after a delay. */
        record Retry(CrawlEnd end) implements Action {}

        /** Forget the crawl: its end changes nothing about the job. */
        record Forget() implements Action {}

        /** Delete the remains of the job. */
        record Delete() implements Action {}

        /** The crawl is as it should be, or will be when it has ended. */
        record Nothing() implements Action {}
    }

    /** Returns the action that brings a job's crawl closer to the job's recorded state. */
    public Action next(State wanted, CrawlState crawl) {
        return switch (crawl) {
            case CrawlState.None() ->
                    switch (wanted) {
                        case QUEUED, RUNNING -> new Action.Start();
                        case PAUSED, FINISHED, STOPPED, FAILED -> new Action.Nothing();
                        case DELETED -> new Action.Delete();
                    };
            case CrawlState.Active active ->
                    switch (wanted) {
                        case QUEUED, RUNNING -> continueCrawl(active);
                        case PAUSED -> new Action.Pause();
                        case FINISHED, STOPPED, FAILED -> new Action.Stop(STOP_GRACE);
                        case DELETED -> new Action.Stop(Duration.ZERO);
                    };
            case CrawlState.Ended ended ->
                    switch (wanted) {
                        case QUEUED, RUNNING -> afterEnd(ended, new Action.Start());
                        case PAUSED -> afterEnd(ended, new Action.Forget());
                        case FINISHED, STOPPED, FAILED -> new Action.Forget();
                        case DELETED -> new Action.Delete();
                    };
        };
    }

    /**
     * Continues or restarts a running crawl. It cannot change its settings, so it is stopped and
     * then started again.
     */
    private static Action continueCrawl(CrawlState.Active crawl) {
        if (crawl.outdated) {
            return new Action.Stop(STOP_GRACE);
        }
        return crawl.stopping ? new Action.Nothing() : new Action.Resume();
    }

    /**
     * Returns the action after a crawl's end. The end of a crawl that was stopped, or is outdated,
     * is not the end of its job.
     */
    private Action afterEnd(CrawlState.Ended crawl, Action otherwise) {
        if (fleet && BROKEN_OFF.contains(crawl.end.reason())) {
            return new Action.Retry(crawl.end);
        }
        return crawl.outdated || crawl.end.reason() == Reason.STOPPED
                ? otherwise
                : new Action.Finish(crawl.end);
    }
}
