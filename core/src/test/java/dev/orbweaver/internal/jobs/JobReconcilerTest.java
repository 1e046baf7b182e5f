package dev.orbweaver.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.jobs.JobReconciler.Action;
import dev.orbweaver.internal.jobs.JobReconciler.CrawlState;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlEnd.Reason;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The actions for a job's crawl: every state of a job with every state of its crawl. */
class JobReconcilerTest {

    /**
     * No crawl, and a running one: the state of the job is above, that of the crawl on the left.
     */
    private static final String RUNNING_CRAWLS =
            """
            job:              QUEUED   RUNNING  PAUSED   FINISHED STOPPED  FAILED   DELETED
            none              start    start    nothing  nothing  nothing  nothing  delete
            active            resume   resume   pause    stop-10s stop-10s stop-10s stop-0s
            stopping          nothing  nothing  pause    stop-10s stop-10s stop-10s stop-0s
            active,outdated   stop-10s stop-10s pause    stop-10s stop-10s stop-10s stop-0s
            stopping,outdated stop-10s stop-10s pause    stop-10s stop-10s stop-10s stop-0s
            """;

    private static final String ENDED_CRAWLS =
            """
            job:               QUEUED   RUNNING  PAUSED   FINISHED STOPPED  FAILED   DELETED
            complete           finish   finish   finish   forget   forget   forget   delete
            max_pages          finish   finish   finish   forget   forget   forget   delete
            max_bytes          finish   finish   finish   forget   forget   forget   delete
            max_time           finish   finish   finish   forget   forget   forget   delete
            waiting            finish   finish   finish   forget   forget   forget   delete
            stopped            start    start    forget   forget   forget   forget   delete
            broken             finish   finish   finish   forget   forget   forget   delete
            internal           finish   finish   finish   forget   forget   forget   delete
            retention          finish   finish   finish   forget   forget   forget   delete
            handler_failed finish   finish   finish   forget   forget   forget   delete
            complete,outdated  start    start    forget   forget   forget   forget   delete
            max_pages,outdated start    start    forget   forget   forget   forget   delete
            max_bytes,outdated start    start    forget   forget   forget   forget   delete
            max_time,outdated  start    start    forget   forget   forget   forget   delete
            waiting,outdated   start    start    forget   forget   forget   forget   delete
            stopped,outdated   start    start    forget   forget   forget   forget   delete
            broken,outdated    start    start    forget   forget   forget   forget   delete
            internal,outdated  start    start    forget   forget   forget   forget   delete
            retention,outdated start    start    forget   forget   forget   forget   delete
            handler_failed,outdated start    start    forget   forget   forget   forget   delete
            """;

    /** Only these differ if other processes crawl the job too. */
    private static final String ENDED_IN_A_FLEET =
            """
            job:              QUEUED   RUNNING  PAUSED   FINISHED STOPPED  FAILED   DELETED
            waiting           retry    retry    retry    forget   forget   forget   delete
            broken            retry    retry    retry    forget   forget   forget   delete
            internal          retry    retry    retry    forget   forget   forget   delete
            waiting,outdated  retry    retry    retry    forget   forget   forget   delete
            broken,outdated   retry    retry    retry    forget   forget   forget   delete
            internal,outdated retry    retry    retry    forget   forget   forget   delete
            """;

    @Test
    void aProcessThatHasTheJobsAloneActsByTheTable() {
        var reconciler = new JobReconciler(false);
        assertThat(rows(RUNNING_CRAWLS)).hasSize(1 + 2 * 2);
        assertThat(rows(ENDED_CRAWLS)).hasSize(Reason.values().length * 2);
        assertActions(reconciler, rows(RUNNING_CRAWLS));
        assertActions(reconciler, rows(ENDED_CRAWLS));
    }

    @Test
    void aWorkerOfAFleetRetriesWhatBreaksOffAndElseActsAlike() {
        var reconciler = new JobReconciler(true);
        assertActions(reconciler, rows(RUNNING_CRAWLS));
        assertActions(reconciler, rows(ENDED_IN_A_FLEET));
        var different = rows(ENDED_IN_A_FLEET).stream().map(List::getFirst).toList();
        var others = new ArrayList<>(rows(ENDED_CRAWLS));
        others.removeIf(row -> different.contains(row.getFirst()));
        assertThat(others).hasSize((Reason.values().length - 3) * 2);
        assertActions(reconciler, others);
    }

    @Test
    void anEndIsHandedOnAsItWas() {
        var end = new CrawlEnd(Reason.BROKEN, "disk full");
        var crawl = new CrawlState.Ended(end, false);
        assertThat(new JobReconciler(false).next(State.RUNNING, crawl))
                .isEqualTo(new Action.Finish(end));
        assertThat(new JobReconciler(true).next(State.RUNNING, crawl))
                .isEqualTo(new Action.Retry(end));
    }

    private static List<List<String>> rows(String table) {
        var columns = Stream.concat(Stream.of("job:"), Stream.of(State.values()).map(State::name));
        assertThat(table.lines().findFirst().orElseThrow().split(" +"))
                .containsExactlyElementsOf(columns.toList());
        return table.lines().skip(1).map(line -> List.of(line.split(" +"))).toList();
    }

    private static void assertActions(JobReconciler reconciler, List<List<String>> rows) {
        for (var row : rows) {
            var actions = new ArrayList<>(List.of(row.getFirst()));
            for (var wanted : State.values()) {
                actions.add(text(reconciler.next(wanted, crawl(row.getFirst()))));
            }
            assertThat(actions).as("jobs in the states %s", List.of(State.values())).isEqualTo(row);
        }
    }

    private static CrawlState crawl(String text) {
        var words = List.of(text.split(","));
        var outdated = words.contains("outdated");
        return switch (words.getFirst()) {
            case "none" -> new CrawlState.None();
            case "active", "stopping" ->
                    new CrawlState.Active(words.contains("stopping"), outdated);
            default ->
                    new CrawlState.Ended(
                            new CrawlEnd(
                                    Reason.valueOf(words.getFirst().toUpperCase(Locale.ROOT)), ""),
                            outdated);
        };
    }

    private static String text(Action action) {
        return switch (action) {
            case Action.Start() -> "start";
            case Action.Resume() -> "resume";
            case Action.Pause() -> "pause";
            case Action.Stop(var grace) -> "stop-" + grace.toSeconds() + "s";
            case Action.Finish(_) -> "finish";
            case Action.Retry(_) -> "retry";
            case Action.Forget() -> "forget";
            case Action.Delete() -> "delete";
            case Action.Nothing() -> "nothing";
        };
    }
}
