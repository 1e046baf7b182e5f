package dev.orbweaver.server;

import static java.time.temporal.ChronoUnit.SECONDS;

import com.fasterxml.jackson.annotation.JsonInclude;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.Quantities;
import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.model.JobId;
import dev.orbweaver.server.schedules.Schedule;
import dev.orbweaver.server.schedules.Schedule.Missed;
import dev.orbweaver.server.schedules.Schedule.Overlap;
import dev.orbweaver.server.schedules.Schedule.Planned;
import dev.orbweaver.server.schedules.Schedule.Run;
import dev.orbweaver.server.schedules.Schedule.Terms;
import dev.orbweaver.server.schedules.Schedules;
import dev.orbweaver.server.schedules.Timetable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Creates, lists and changes schedules, and runs them on request. */
final class SchedulesApi {

    private static final int NAME_MAX = 100;
    private static final String RECRAWL = "recrawl";
    private static final String FIELDS_EXPECTED =
            "name, cron, zone, every, from, overlap, missed, recrawl, paused or job";
    private static final Set<String> FIELDS =
            Set.of(
                    "name", "cron", "zone", "every", "from", "overlap", "missed", RECRAWL, "paused",
                    "job");

    private final Schedules schedules;
    private final Jobs jobs;
    private final JobsApi jobsApi;
    private final Jobs.JobsSettings settings;
    private final InstantSource clock;

    SchedulesApi(
            Schedules schedules,
            Jobs jobs,
            JobsApi jobsApi,
            Jobs.JobsSettings settings,
            InstantSource clock) {
        this.schedules = schedules;
        this.jobs = jobs;
        this.jobsApi = jobsApi;
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * A schedule as clients see it.
     *
     * @param next the next planned time; absent while it is paused
     * @param waiting the planned time of the run that waits for a job to end
     * @param problem why runs cannot be stored or started at present
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record ScheduleJson(
            int id,
            String name,
            Optional<String> cron,
            Optional<String> zone,
            Optional<String> every,
            Optional<Instant> from,
            Overlap overlap,
            Missed missed,
            boolean recrawl,
            boolean paused,
            JobJsonOfSchedule job,
            Instant created,
            Optional<Instant> next,
            Optional<Instant> waiting,
            Optional<RunJson> lastRun,
            Optional<String> problem) {}

    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record JobJsonOfSchedule(
            List<String> seeds,
            JsonNode settings,
            int weight,
            Optional<WebhookJson> webhook,
            Optional<String> name,
            List<String> tags,
            Optional<String> notes,
            Optional<JobLabels.Keep> keep) {}

    private record WebhookJson(String url) {}

    /**
     * A run, or several that were skipped in a row for one reason.
     *
     * @param state the state of its job now; absent if the job was deleted
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    private record RunJson(
            Instant at,
            Instant until,
            long count,
            boolean manual,
            Run.Outcome outcome,
            Instant time,
            Optional<JobId> job,
            Optional<JobRecord.State> state,
            String reason) {}

    private RunJson json(Run run) {
        return new RunJson(
                run.at(),
                run.until(),
                run.count(),
                run.manual(),
                run.outcome(),
                run.time(),
                run.job(),
                run.job().flatMap(jobs::find).map(JobRecord::state),
                run.reason());
    }

    private ScheduleJson json(Schedule schedule) {
        var cron =
                schedule.timetable() instanceof Timetable.Cron each
                        ? Optional.of(each)
                        : Optional.<Timetable.Cron>empty();
        var every =
                schedule.timetable() instanceof Timetable.Every each
                        ? Optional.of(each)
                        : Optional.<Timetable.Every>empty();
        var template = schedule.job();
        return new ScheduleJson(
                schedule.id(),
                schedule.name(),
                cron.map(Timetable.Cron::expression),
                cron.map(each -> each.zone().getId()),
                every.map(each -> text(each.every())),
                every.map(Timetable.Every::from),
                schedule.overlap(),
                schedule.missed(),
                schedule.recrawl(),
                schedule.paused(),
                new JobJsonOfSchedule(
                        template.seeds(),
                        JobJson.withoutSecrets(
                                jobs.table(), JsonMapper.shared().readTree(template.settings())),
                        template.weight(),
                        template.webhook().map(hook -> new WebhookJson(hook.url())),
                        template.labels().name(),
                        template.labels().tags(),
                        template.labels().notes(),
                        template.labels().keep()),
                schedule.created(),
                schedule.next(),
                schedule.queued().map(Planned::at),
                schedule.runs().isEmpty()
                        ? Optional.empty()
                        : Optional.of(json(schedule.runs().getLast())),
                schedules.problem());
    }

    /** Writes a duration in the largest unit that needs no fraction. */
    private static String text(Duration duration) {
        var seconds = duration.toSeconds();
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    void create(ApiCall apiCall) throws Exception {
        var body = apiCall.body();
        requireFields(body);
        var job =
                template(apiCall, body)
                        .orElseThrow(
                                () ->
                                        ProblemException.inField(
                                                "job",
                                                "job must be an object with the seeds and settings"
                                                        + " of the jobs to start."));
        var timetable =
                timetable(body, Optional.empty())
                        .orElseThrow(
                                () ->
                                        ProblemException.inField(
                                                "cron",
                                                "Send cron, such as \"30 4 * * *\", or every, such"
                                                        + " as \"6h\"."));
        var terms =
                new Terms(
                        name(body).orElseGet(() -> job.seeds().getFirst()),
                        timetable,
                        job,
                        recrawl(body, false),
                        choice(body, "overlap", Overlap.values(), Overlap::id, Overlap.SKIP),
                        choice(body, "missed", Missed.values(), Missed::id, Missed.CATCH_UP));
        var schedule = schedules.add(terms, flag(body, "paused", false));
        apiCall.context().header("Location", "/api/v1/schedules/" + schedule.id());
        apiCall.json(201, json(schedule));
    }

    void list(ApiCall apiCall) {
        apiCall.jsonItems(schedules.all().reversed(), this::json);
    }

    void get(ApiCall apiCall) {
        apiCall.json(json(schedules.require(apiCall.schedule())));
    }

    void change(ApiCall apiCall) throws Exception {
        var body = apiCall.body();
        requireFields(body);
        var before = schedules.require(apiCall.schedule());
        var terms =
                new Terms(
                        name(body).orElse(before.name()),
                        timetable(body, Optional.of(before.timetable())).orElse(before.timetable()),
                        template(apiCall, body).orElse(before.job()),
                        recrawl(body, before.recrawl()),
                        choice(body, "overlap", Overlap.values(), Overlap::id, before.overlap()),
                        choice(body, "missed", Missed.values(), Missed::id, before.missed()));
        apiCall.json(
                json(schedules.change(before.id(), terms, flag(body, "paused", before.paused()))));
    }

    void delete(ApiCall apiCall) throws Exception {
        schedules.delete(apiCall.schedule());
        apiCall.context().status(204);
    }

    void run(ApiCall apiCall) throws Exception {
        apiCall.json(202, json(schedules.runNow(apiCall.schedule())));
    }

    void runs(ApiCall apiCall) {
        apiCall.jsonItems(schedules.require(apiCall.schedule()).runs().reversed(), this::json);
    }

    private static void requireFields(JsonNode body) {
        for (var name : body.propertyNames()) {
            if (!FIELDS.contains(name)) {
                throw ProblemException.inField(
                        name, "Unknown field '%s'; expected %s.".formatted(name, FIELDS_EXPECTED));
            }
        }
    }

    private static Optional<String> name(JsonNode body) {
        var name = JobsApi.text(body, "name").map(String::strip);
        if (name.filter(text -> text.isEmpty() || text.length() > NAME_MAX).isPresent()) {
            throw ProblemException.inField(
                    "name", "name must have from 1 to " + NAME_MAX + " characters.");
        }
        return name;
    }

    private static boolean flag(JsonNode body, String name, boolean fallback) {
        var value = body.path(name);
        if (!value.isMissingNode() && !value.isBoolean()) {
            throw ProblemException.inField(name, name + " must be true or false.");
        }
        return value.asBoolean(fallback);
    }

    private boolean recrawl(JsonNode body, boolean fallback) {
        var recrawl = flag(body, RECRAWL, fallback);
        if (recrawl && jobs.isShared()) {
            throw ProblemException.inField(
                    RECRAWL, "recrawl is not available for jobs of a fleet; set revisit.");
        }
        return recrawl;
    }

    private static <T> T choice(
            JsonNode body, String name, T[] values, Function<T, String> id, T fallback) {
        var text = JobsApi.text(body, name);
        if (text.isEmpty()) {
            return fallback;
        }
        return Arrays.stream(values)
                .filter(value -> id.apply(value).equals(text.get()))
                .findFirst()
                .orElseThrow(
                        () ->
                                ProblemException.inField(
                                        name,
                                        "%s must be %s, not '%s'."
                                                .formatted(
                                                        name,
                                                        String.join(
                                                                " or ",
                                                                Arrays.stream(values)
                                                                        .map(id)
                                                                        .toList()),
                                                        text.get())));
    }

    /** Returns the timetable of a request; empty if it has no field of one. */
    private Optional<Timetable> timetable(JsonNode body, Optional<Timetable> before) {
        var cron = JobsApi.text(body, "cron");
        var zone = JobsApi.text(body, "zone");
        var every = JobsApi.text(body, "every");
        var from = JobsApi.text(body, "from").map(SchedulesApi::time);
        if ((cron.isPresent() || zone.isPresent()) && (every.isPresent() || from.isPresent())) {
            throw ProblemException.inField(
                    every.isPresent() ? "every" : "from",
                    "Send cron and zone, or every and from, not both.");
        }
        if (cron.isPresent() || zone.isPresent()) {
            return Optional.of(cron(cron, zone, before));
        }
        return every.isPresent() || from.isPresent()
                ? Optional.of(every(every, from, before))
                : Optional.empty();
    }

    private static Timetable cron(
            Optional<String> cron, Optional<String> zone, Optional<Timetable> before) {
        var old =
                before.flatMap(
                        each ->
                                each instanceof Timetable.Cron found
                                        ? Optional.of(found)
                                        : Optional.empty());
        var expression = cron.or(() -> old.map(Timetable.Cron::expression));
        if (expression.isEmpty()) {
            throw ProblemException.inField("cron", "cron must be sent with zone.");
        }
        try {
            return Timetable.cron(
                    expression.get(),
                    zone.or(() -> old.map(each -> each.zone().getId())).orElse("UTC"));
        } catch (IllegalArgumentException e) {
            var message = String.valueOf(e.getMessage());
            throw ProblemException.inField(
                    message.startsWith("unknown time zone") ? "zone" : "cron", message + ".");
        }
    }

    private Timetable every(
            Optional<String> every, Optional<Instant> from, Optional<Timetable> before) {
        var old =
                before.flatMap(
                        each ->
                                each instanceof Timetable.Every found
                                        ? Optional.of(found)
                                        : Optional.empty());
        var duration = every.map(SchedulesApi::duration).or(() -> old.map(Timetable.Every::every));
        if (duration.isEmpty()) {
            throw ProblemException.inField("every", "every must be sent with from.");
        }
        try {
            return new Timetable.Every(
                    duration.get(),
                    from.orElseGet(
                            () -> clock.instant().plus(duration.get()).truncatedTo(SECONDS)));
        } catch (IllegalArgumentException e) {
            throw ProblemException.inField("every", e.getMessage() + ".");
        }
    }

    private static Duration duration(String text) {
        return Quantities.duration(text)
                .orElseThrow(
                        () ->
                                ProblemException.inField(
                                        "every",
                                        "every must be a duration such as 30m, 6h or 7d, not '%s'."
                                                .formatted(text)));
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw ProblemException.inField(
                    "from",
                    "from must be a time such as 2026-12-01T06:00:00Z, not '%s'.".formatted(text));
        }
    }

    /** Returns the request of the jobs to start, checked as if it were submitted now. */
    private Optional<JobRequest> template(ApiCall apiCall, JsonNode body) throws IOException {
        var job = body.path("job");
        if (job.isMissingNode()) {
            return Optional.empty();
        }
        if (!job.isObject()) {
            throw ProblemException.inField("job", "job must be an object.");
        }
        var request = jobsApi.requests().read(job, AccessControl.tokenName(apiCall));
        try {
            var _ = settings.config(request);
        } catch (ConfigException e) {
            throw jobsApi.settingsProblem(e);
        }
        return Optional.of(request);
    }
}
