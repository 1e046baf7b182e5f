package dev.orbweaver.server;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.NoSuchJobException;
import dev.orbweaver.model.JobId;

import io.javalin.http.Context;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Pauses, resumes, stops or deletes several jobs, each as a call of its own would. */
final class BulkApi {

    static final int IDS_MAX = 500;
    private static final String CHANGES = "bulk changes";
    private static final List<String> FIELDS = List.of("ids", "action");
    private static final List<String> ACTIONS = List.of("pause", "resume", "stop", "delete");

    private final JobsApi jobsApi;

    BulkApi(JobsApi jobsApi) {
        this.jobsApi = jobsApi;
    }

    /**
     * The result for one job.
     *
     * @param status of a call for this job alone
     * @param state of the job afterwards; empty if it was deleted, or the call failed
     * @param detail why it failed
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record Result(
            int id, int status, Optional<JobRecord.State> state, Optional<String> detail) {}

    private record Results(List<Result> results) {}

    /** A change of one job, for the audit log. */
    record Change(String method, String path, int status) {}

    void change(ApiCall apiCall) throws Exception {
        var body = apiCall.body();
        JobRequestReader.requireFields(body, FIELDS);
        var action = JobsApi.text(body, "action").orElse("");
        if (!ACTIONS.contains(action)) {
            throw ProblemException.inField(
                    "action",
                    "Unknown action '%s'; expected pause, resume, stop or delete."
                            .formatted(action));
        }
        var results = new ArrayList<Result>();
        var changes = new ArrayList<Change>();
        apiCall.context().attribute(CHANGES, changes);
        for (var id : ids(body.path("ids"))) {
            var result = change(apiCall, new JobId(id), action);
            results.add(result);
            var isDelete = action.equals("delete");
            changes.add(
                    new Change(
                            isDelete ? "DELETE" : "POST",
                            "%s/jobs/%d%s".formatted(Routes.API, id, isDelete ? "" : "/" + action),
                            result.status));
        }
        apiCall.json(new Results(results));
    }

    /** Returns the changes of a call, if it was one of several jobs. */
    static List<Change> changes(Context context) {
        @Nullable List<Change> changes = context.attribute(CHANGES);
        return changes == null ? List.of() : changes;
    }

    private static Set<Integer> ids(JsonNode ids) {
        if (!ids.isArray() || ids.isEmpty() || ids.size() > IDS_MAX) {
            throw ProblemException.inField(
                    "ids", "ids must be a list of 1 to " + IDS_MAX + " job ids.");
        }
        var numbers = new LinkedHashSet<Integer>();
        for (var i = 0; i < ids.size(); i++) {
            if (!ids.get(i).isInt() || ids.get(i).asInt() < 0) {
                throw ProblemException.inField("ids[" + i + "]", "A job id must be a number.");
            }
            numbers.add(ids.get(i).asInt());
        }
        return numbers;
    }

    private Result change(ApiCall apiCall, JobId id, String action) throws Exception {
        try {
            Optional<JobRecord> job =
                    switch (action) {
                        case "pause" -> Optional.of(jobsApi.pause(id));
                        case "resume" -> Optional.of(jobsApi.resume(apiCall, id));
                        case "stop" -> Optional.of(jobsApi.stop(id));
                        default -> {
                            jobsApi.delete(id);
                            yield Optional.empty();
                        }
                    };
            return new Result(
                    id.number(),
                    job.isPresent() ? 200 : 204,
                    job.map(JobRecord::state),
                    Optional.empty());
        } catch (ProblemException e) {
            return failed(id, e.status(), e);
        } catch (NoSuchJobException e) {
            return failed(id, ProblemException.NOT_FOUND, e);
        } catch (FrontierUnavailableException e) {
            return failed(id, ProblemException.UNAVAILABLE, e);
        }
    }

    private static Result failed(JobId id, int status, Exception e) {
        return new Result(
                id.number(), status, Optional.empty(), Optional.of(String.valueOf(e.getMessage())));
    }
}
