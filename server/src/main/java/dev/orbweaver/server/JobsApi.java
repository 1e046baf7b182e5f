package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRecord.State;
import dev.orbweaver.internal.jobs.JobRequest;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.server.TokenFile.Quotas;
import dev.orbweaver.server.TokenFile.Token;
import dev.orbweaver.server.schedules.Schedules;
import dev.orbweaver.server.schedules.Schedules.LimitReachedException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Submits, lists and controls jobs. */
final class JobsApi {

    private static final int SEEDS_MAX = 10_000;
    private static final int KEY_MAX = 200;

    /** When to try again what is possible after the end of a job, which is not known. */
    static final Duration JOB_END_DELAY = Duration.ofSeconds(10);

    private static final String CONCURRENCY = "concurrency";
    static final Set<State> OPEN = Set.of(State.QUEUED, State.RUNNING, State.PAUSED);
    private static final List<String> CHANGE_FIELDS =
            List.of("settings", "weight", "name", "tags", "notes", "keep");
    private static final Set<String> RETRY_FIELDS = Set.of("url", "cause");

    static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    private final Jobs jobs;
    private final JobGoals goals;
    private final JobEventFeeds jobEventFeeds;
    private final JobRequestReader requests;
    private final TokenUsage tokenUsage;
    private final DiskUsage diskUsage;
    private final AuditLog auditLog;
    private final int openMax;

    /** Held from an admission until the job is open, so that no two calls use the same quota. */
    private final ReentrantLock admission = new ReentrantLock();

    JobsApi(
            Jobs jobs,
            JobEventFeeds jobEventFeeds,
            JobRequestReader requests,
            TokenUsage tokenUsage,
            DiskUsage diskUsage,
            AuditLog auditLog,
            int openMax) {
        this.auditLog = auditLog;
        this.diskUsage = diskUsage;
        this.tokenUsage = tokenUsage;
        this.jobs = jobs;
        this.goals = new JobGoals(jobs);
        this.jobEventFeeds = jobEventFeeds;
        this.requests = requests;
        this.openMax = openMax;
    }

    /** Returns the reader of requests. */
    JobRequestReader requests() {
        return requests;
    }

    JobRecord job(ApiCall apiCall) {
        return require(apiCall.job());
    }

    private JobRecord require(JobId id) {
        return jobs.find(id)
                .orElseThrow(
                        () ->
                                ProblemException.of(
                                        ProblemException.NOT_FOUND,
                                        "Job " + id.number() + " not found."));
    }

    private JobJson.Job json(JobRecord job) {
        return new JobJson(jobs, goals, jobEventFeeds.tryGetOrOpen(job), diskUsage::bytes)
                .full(job);
    }

    void create(ApiCall apiCall) throws Exception {
        create(apiCall, apiCall.body(), Optional.empty());
    }

    /** Submits the request of a job again, with the changes that the body has. */
    void copy(ApiCall apiCall) throws Exception {
        create(apiCall, apiCall.body(), Optional.of(job(apiCall)));
    }

    private void create(ApiCall apiCall, JsonNode body, Optional<JobRecord> source)
            throws Exception {
        var key = apiCall.header("Idempotency-Key").filter(text -> !text.isBlank());
        if (key.filter(text -> text.length() > KEY_MAX).isPresent()) {
            throw ProblemException.inField(
                    "Idempotency-Key",
                    "Idempotency-Key must have at most " + KEY_MAX + " characters.");
        }
        // Keys are per caller, so that no one can find another caller's job by guessing.
        var ownKey = key.map(text -> AccessControl.caller(apiCall) + "/" + text);
        var before = ownKey.flatMap(jobs::findByKey);
        var digest = digest(apiCall.context().path(), body);
        if (before.isPresent()) {
            apiCall.json(200, json(requireSameRequest(before.get(), digest)));
            return;
        }
        var full =
                source.isPresent()
                        ? JobRequestReader.merge(JobRequestReader.toJson(source.get()), body)
                        : body;
        var request =
                requests.read(full, ownKey, AccessControl.tokenName(apiCall), Optional.of(digest));
        if (source.isPresent()) {
            request = request.withLabels(request.labels().withFamily(family(source.get())));
        }
        // Two requests with one key may be concurrent.
        var job = requireSameRequest(submit(AccessControl.token(apiCall), request), digest);
        if (source.isPresent() && !body.has("seeds")) {
            jobs.copyAddedSeeds(source.get().id(), job.id());
            job = continueIfEnded(job.id());
        }
        apiCall.context().header("Location", "/api/v1/jobs/" + job.id().number());
        apiCall.json(202, json(job));
    }

    /** Continues a job that may have ended before it saw added seeds. */
    JobRecord continueIfEnded(JobId id) throws IOException {
        return continueJob(require(id));
    }

    /** Returns the family of a job, which that of its clones is too. */
    static String family(JobRecord job) {
        return job.labels().family().orElse("job:" + job.id().number());
    }

    /** Returns a request with the concurrency that the caller's quotas leave. */
    private JobRequest withinQuota(Token token, JobRequest request) {
        var settings = settings(request.settings());
        var granted = tokenUsage.admit(token, Optional.empty(), concurrency(settings));
        if (granted.isEmpty()) {
            return request;
        }
        settings.put(CONCURRENCY, granted.get().toString());
        return request.withSettings(settings.toString());
    }

    private static ObjectNode settings(String json) {
        return (ObjectNode) JsonMapper.shared().readTree(json);
    }

    private static Optional<Integer> concurrency(ObjectNode settings) {
        return Optional.of(settings.path(CONCURRENCY).asInt(0)).filter(count -> count > 0);
    }

    /**
     * Runs an action that continues a job which is in none of some states, within the quotas of the
     * token that submitted the job.
     */
    <T> T continued(ApiCall apiCall, JobId id, Set<State> unless, Callable<T> action)
            throws Exception {
        admission.lock();
        try {
            var job = require(id);
            if (!unless.contains(job.state())) {
                var owner = owner(apiCall, job);
                if (owner.isPresent()) {
                    admit(owner.get(), job);
                }
            }
            return action.call();
        } finally {
            admission.unlock();
        }
    }

    /** Returns the token whose quotas apply to a job; empty if none do. */
    private Optional<Token> owner(ApiCall apiCall, JobRecord job) {
        var owner = job.labels().createdBy().flatMap(tokenUsage::find);
        if (owner.isEmpty() && !AccessControl.token(apiCall).quotas().equals(Quotas.NONE)) {
            throw ProblemException.of(
                    ProblemException.FORBIDDEN,
                    "Job %d was not submitted with a valid token; use a token without quotas to continue it."
                            .formatted(job.id().number()));
        }
        return owner;
    }

    private void admit(Token owner, JobRecord job) throws IOException {
        var settings = settings(job.settings());
        var wanted = concurrency(settings);
        var granted = tokenUsage.admit(owner, Optional.of(job.id()), wanted);
        if (granted.isPresent() && !granted.equals(wanted)) {
            settings.put(CONCURRENCY, granted.get().toString());
            var _ = change(job.withSettings(settings.toString(), job.weight()));
        }
    }

    private JobRecord change(JobRecord changed) throws IOException {
        try {
            return jobs.change(changed);
        } catch (ConfigException e) {
            throw settingsProblem(e);
        }
    }

    /** Returns a digest of a request that does not depend on the order of fields. */
    private static String digest(String path, JsonNode body) {
        return Sha256.hex(path + sorted(body));
    }

    /** Returns a digest that does not depend on the order of fields. */
    static String digest(JsonNode body) {
        return Sha256.hex(sorted(body).toString());
    }

    private static JsonNode sorted(JsonNode node) {
        if (node.isObject()) {
            var sorted = JsonMapper.shared().createObjectNode();
            node.properties().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(each -> sorted.set(each.getKey(), sorted(each.getValue())));
            return sorted;
        }
        if (node.isArray()) {
            var list = JsonMapper.shared().createArrayNode();
            node.forEach(each -> list.add(sorted(each)));
            return list;
        }
        return node;
    }

    /** Rejects an idempotency key that was sent with another body before. */
    private static JobRecord requireSameRequest(JobRecord job, String digest) {
        if (job.labels().requestDigest().filter(sent -> !sent.equals(digest)).isPresent()) {
            throw ProblemException.inField(
                    ProblemException.UNPROCESSABLE,
                    "Idempotency-Key",
                    "Idempotency-Key was sent with another body before, for job %d; use a new key."
                            .formatted(job.id().number()));
        }
        return job;
    }

    private Optional<String> limitReached() {
        return jobs.all().stream().filter(job -> job.state().isOpen()).count() >= openMax
                ? Optional.of(
                        "The limit of %d open jobs is reached; wait until one ends, or stop one."
                                .formatted(openMax))
                : Optional.empty();
    }

    /** Visits all pages of a schedule's job again whose last visit was before a run. */
    private JobRecord recrawlScheduled(JobRecord job, Instant run)
            throws ConfigException, LimitReachedException, IOException {
        requireNotRevoked(job.labels());
        try {
            var _ = jobs.recrawl(job, entry -> entry.time().isBefore(run));
        } catch (InvalidArgumentException e) {
            throw new LimitReachedException(e.getMessage() + ".");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while listing the pages of a job");
        }
        admission.lock();
        try {
            var owner = job.labels().createdBy().flatMap(tokenUsage::find);
            if (owner.isPresent()) {
                admit(owner.get(), job);
            }
            return continueJob(jobs.find(job.id()).orElse(job));
        } catch (ProblemException e) {
            throw new LimitReachedException(String.valueOf(e.getMessage()));
        } finally {
            admission.unlock();
        }
    }

    /** Continues a job if it has ended. */
    JobRecord continueJob(JobRecord job) throws IOException {
        return job.state().isOpen() ? job : jobs.resume(job.id());
    }

    private void requireNotRevoked(JobLabels labels) throws LimitReachedException {
        var revoked = labels.createdBy().filter(tokenUsage::isRevoked);
        if (revoked.isPresent()) {
            throw new LimitReachedException(
                    "The token %s, which created the schedule, was revoked; create the schedule with another token."
                            .formatted(revoked.get()));
        }
    }

    /** Returns what schedules may do with jobs. */
    Schedules.Submission ofSchedules() {
        return new Schedules.Submission() {
            @Override
            public JobRecord submit(JobRequest request)
                    throws ConfigException, LimitReachedException, IOException {
                return submitScheduled(request);
            }

            @Override
            public JobRecord recrawl(JobRecord job, Instant run)
                    throws ConfigException, LimitReachedException, IOException {
                return recrawlScheduled(job, run);
            }
        };
    }

    /** Submits the job of a schedule's run, once for each key. */
    private JobRecord submitScheduled(JobRequest request)
            throws ConfigException, LimitReachedException, IOException {
        var before = request.key().flatMap(jobs::findByKey);
        if (before.isPresent()) {
            return before.get();
        }
        requireNotRevoked(request.labels());
        var token = request.labels().createdBy().flatMap(tokenUsage::find);
        var caller = request.labels().family().orElse("schedule");
        try {
            var job = admitAndSubmit(token, request);
            var path = Routes.API + "/jobs/" + job.id().number();
            auditLog.add(AuditLog.Entry.ofService(caller, "POST", path, 202));
            return job;
        } catch (ProblemException e) {
            var refused =
                    AuditLog.Entry.ofService(caller, "POST", Routes.API + "/jobs", e.status());
            auditLog.add(refused);
            throw new LimitReachedException(String.valueOf(e.getMessage()));
        }
    }

    private JobRecord submit(Token token, JobRequest request) throws IOException {
        try {
            return admitAndSubmit(Optional.of(token), request);
        } catch (ConfigException e) {
            throw settingsProblem(e);
        }
    }

    private JobRecord admitAndSubmit(Optional<Token> token, JobRequest request)
            throws ConfigException, IOException {
        admission.lock();
        try {
            var admitted = token.isPresent() ? withinQuota(token.get(), request) : request;
            var limit = limitReached();
            if (limit.isPresent()) {
                throw ProblemException.tooMany(JOB_END_DELAY, limit.get());
            }
            return jobs.submit(admitted);
        } finally {
            admission.unlock();
        }
    }

    static List<String> seeds(JsonNode seeds) {
        if (!seeds.isArray() || seeds.isEmpty()) {
            throw ProblemException.inField("seeds", "seeds must be a list with at least one URL.");
        }
        if (seeds.size() > SEEDS_MAX) {
            throw ProblemException.inField(
                    ProblemException.TOO_LARGE, "seeds", "seeds must have at most 10,000 entries.");
        }
        var texts = new ArrayList<String>();
        for (var i = 0; i < seeds.size(); i++) {
            if (!seeds.get(i).isString() || seeds.get(i).asString().isBlank()) {
                throw ProblemException.inField(
                        "seeds[" + i + "]", "A seed must be a URL in a string.");
            }
            requireSeed("seeds[" + i + "]", seeds.get(i).asString());
            texts.add(seeds.get(i).asString());
        }
        return texts;
    }

    static void requireSeed(String field, String seed) {
        if (Seed.hasCredentials(seed)) {
            throw ProblemException.inField(
                    field,
                    "A seed must not contain a user name or password; use the setting"
                            + " credentials.");
        }
        if (Seed.read(seed, URLS).isEmpty()) {
            throw ProblemException.inField(
                    field,
                    "'%s' is not an http or https URL; expected for example https://example.com/."
                            .formatted(seed));
        }
    }

    static Optional<String> text(JsonNode body, String name) {
        var value = body.path(name);
        if (value.isMissingNode()) {
            return Optional.empty();
        }
        if (!value.isString()) {
            throw ProblemException.inField(name, name + " must be a string.");
        }
        return Optional.of(value.asString());
    }

    /** Converts a configuration error; its field is the first invalid setting. */
    ProblemException settingsProblem(ConfigException e) {
        var key = e.problems().getFirst().key();
        var field =
                key.equals(Settings.SEEDS)
                        ? key
                        : jobs.table().find(key).map(_ -> "settings." + key).orElse("settings");
        return ProblemException.inField(field, e.summary());
    }

    void list(ApiCall apiCall) throws Exception {
        var state = apiCall.query("state").map(JobsApi::state);
        var text = apiCall.query("q").map(query -> query.toLowerCase(Locale.ROOT));
        var tag = apiCall.query("tag");
        var family = apiCall.query("family");
        var wanted =
                jobs.all().stream()
                        .filter(job -> job.state() != State.DELETED)
                        .filter(job -> state.isEmpty() || job.state() == state.get())
                        .filter(job -> text.isEmpty() || contains(job, text.get()))
                        .filter(job -> tag.isEmpty() || hasTag(job, tag.get()))
                        .filter(job -> family.isEmpty() || family(job).equals(family.get()))
                        .sorted(order(apiCall.query("sort")))
                        .toList();
        apiCall.jsonItems(wanted, this::brief);
    }

    private JobJson.Job brief(JobRecord job) {
        return new JobJson(jobs, goals, jobEventFeeds.open(job.id()), diskUsage::bytes).brief(job);
    }

    /** Returns the order that a list of jobs is to have; a minus sign reverses it. */
    private Comparator<JobRecord> order(Optional<String> sort) {
        if (sort.isEmpty()) {
            return (_, _) -> 0; // As they are: the newest first.
        }
        var isReversed = sort.get().startsWith("-");
        Comparator<JobRecord> order =
                switch (sort.get().substring(isReversed ? 1 : 0)) {
                    case "id" -> Comparator.comparingInt(job -> job.id().number());
                    case "name" -> Comparator.comparing(JobJson::name);
                    case "state" -> Comparator.comparing(JobRecord::state);
                    case "started" ->
                            Comparator.comparing(job -> job.started().orElse(Instant.MAX));
                    case "pages" -> by(job -> (double) ledger(job).pages());
                    case "failed" -> by(job -> (double) ledger(job).dead());
                    case "progress" -> by(this::progress);
                    case "rate" -> by(this::rate);
                    case "duration" ->
                            by(job -> (double) job.running().elapsed(Instant.now()).toMillis());
                    default ->
                            throw ProblemException.inField(
                                    "sort",
                                    "Unknown order '%s'; expected id, name, state, started, duration, pages, failed, progress or rate, or -id and so on."
                                            .formatted(sort.get()));
                };
        return isReversed ? order.reversed() : order;
    }

    /** Compares jobs by a figure, which is read once for each of them. */
    private static Comparator<JobRecord> by(ToDoubleFunction<JobRecord> figure) {
        var figures = new HashMap<JobId, Double>();
        return Comparator.comparingDouble(
                job -> figures.computeIfAbsent(job.id(), _ -> figure.applyAsDouble(job)));
    }

    private Ledger ledger(JobRecord job) {
        return jobs.stats(job.id()).ledger();
    }

    private double progress(JobRecord job) {
        var ledger = ledger(job);
        return JobGoals.progress(job, ledger, goals.goal(job, ledger));
    }

    private double rate(JobRecord job) {
        return jobs.status(job.id())
                .flatMap(_ -> jobEventFeeds.open(job.id()))
                .map(feed -> feed.history().rate(ledger(job).pages(), Instant.now()))
                .orElse(0.0);
    }

    private static String cause(String id) {
        return oneOf(
                Arrays.stream(FailureCause.values()).map(FailureCause::id).toList(), "cause", id);
    }

    /** Rejects a filter that nothing could match. */
    private static String oneOf(List<String> accepted, String name, String text) {
        if (!accepted.contains(text)) {
            throw ProblemException.inField(
                    name,
                    "Unknown %s '%s'; expected %s."
                            .formatted(name, text, String.join(", ", accepted)));
        }
        return text;
    }

    /** Returns whether a seed or label of a job contains a text in lower case. */
    private static boolean contains(JobRecord job, String text) {
        return Stream.of(
                        job.labels().name().stream(),
                        job.labels().tags().stream(),
                        job.labels().notes().stream(),
                        job.seeds().stream())
                .flatMap(each -> each)
                .anyMatch(each -> each.toLowerCase(Locale.ROOT).contains(text));
    }

    private static boolean hasTag(JobRecord job, String tag) {
        return job.labels().tags().stream().anyMatch(tag::equalsIgnoreCase);
    }

    private static State state(String id) {
        return Arrays.stream(State.values())
                .filter(state -> state != State.DELETED && state.id().equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                ProblemException.inField(
                                        "state",
                                        "Unknown state '%s'; expected queued, running, paused, finished, stopped or failed."
                                                .formatted(id)));
    }

    void get(ApiCall apiCall) throws Exception {
        apiCall.json(json(job(apiCall)));
    }

    void change(ApiCall apiCall) throws Exception {
        var job = job(apiCall);
        var body = apiCall.body();
        JobRequestReader.requireFields(body, CHANGE_FIELDS);
        var changes = requests.settings(body);
        var weight = JobRequestReader.weight(body.path("weight"), job.weight());
        var labels = LabelFields.read(body, job.labels());
        admission.lock();
        try {
            apiCall.json(json(change(apiCall, changes, weight, labels)));
        } finally {
            admission.unlock();
        }
    }

    /** Changes a job; the concurrency of one that has ended is checked when it continues. */
    private JobRecord change(ApiCall apiCall, ObjectNode changes, int weight, JobLabels labels)
            throws IOException {
        var job = job(apiCall);
        var settings = settings(job.settings());
        changes.properties().forEach(each -> settings.set(each.getKey(), each.getValue()));
        if (job.state().isOpen() && changes.has(CONCURRENCY)) {
            owner(apiCall, job)
                    .flatMap(
                            owner ->
                                    tokenUsage.admitConcurrency(
                                            owner, Optional.of(job.id()), concurrency(settings)))
                    .ifPresent(granted -> settings.put(CONCURRENCY, granted.toString()));
        }
        return change(job.withSettings(settings.toString(), weight).withLabels(labels));
    }

    void pause(ApiCall apiCall) throws Exception {
        apiCall.json(json(pause(apiCall.job())));
    }

    JobRecord pause(JobId id) throws IOException {
        var job = jobs.pause(require(id).id());
        requireState(job, State.PAUSED, "paused");
        return job;
    }

    /** Rejects a command that has no effect because the job has ended. */
    private static void requireState(JobRecord job, State wanted, String done) {
        if (!job.state().isOpen() && job.state() != wanted) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "Job %d is %s and cannot be %s."
                            .formatted(job.id().number(), job.state().id(), done));
        }
    }

    void resume(ApiCall apiCall) throws Exception {
        apiCall.json(json(resume(apiCall, apiCall.job())));
    }

    JobRecord resume(ApiCall apiCall, JobId id) throws Exception {
        return continued(apiCall, id, Set.of(State.QUEUED, State.RUNNING), () -> jobs.resume(id));
    }

    void stop(ApiCall apiCall) throws Exception {
        apiCall.json(json(stop(apiCall.job())));
    }

    JobRecord stop(JobId id) throws IOException {
        var job = jobs.stop(require(id).id());
        requireState(job, State.STOPPED, "stopped");
        return job;
    }

    void delete(ApiCall apiCall) throws Exception {
        delete(apiCall.job());
        apiCall.context().status(204);
    }

    void delete(JobId id) throws IOException {
        jobs.delete(require(id).id());
    }

    void history(ApiCall apiCall) throws Exception {
        apiCall.json(jobEventFeeds.getOrOpen(job(apiCall)).history().chart());
    }

    void revisits(ApiCall apiCall) throws Exception {
        var job = job(apiCall);
        apiCall.json(
                jobs.revisits(job)
                        .orElseThrow(
                                () ->
                                        ProblemException.of(
                                                ProblemException.CONFLICT,
                                                ("Figures of revisits are not available for job %d,"
                                                     + " because it is a job of a fleet; 'fleet"
                                                     + " why' shows the next visit of a page.")
                                                        .formatted(job.id().number()))));
    }

    void hosts(ApiCall apiCall) throws Exception {
        var states = Arrays.stream(HostView.State.values()).map(JobJson.Host::stateId).toList();
        var state = apiCall.query("state").map(text -> oneOf(states, "state", text));
        var most = state.isPresent() ? ApiCall.OFFSET_MAX : apiCall.offset();
        var hosts = jobs.hosts(job(apiCall).id(), most + ApiCall.LIMIT_MAX);
        var wanted =
                hosts.first().stream()
                        .map(JobJson.Host::of)
                        .filter(host -> state.isEmpty() || host.state().equals(state.get()))
                        .toList();
        var items = wanted.stream().skip(apiCall.offset()).limit(apiCall.limit()).toList();
        // In a fleet only the hosts of this worker are listed.
        var known = jobs.isShared() ? 0 : count(hosts.counts(), state);
        apiCall.jsonItems(items, Math.max(known, wanted.size()));
    }

    /** Counts the hosts with work, which are listed, in a state or in all. */
    private static long count(FrontierStats.Hosts counts, Optional<String> state) {
        var byState =
                Map.of(
                        HostView.State.WAITING, counts.waiting(),
                        HostView.State.READY, counts.ready(),
                        HostView.State.BUSY, counts.busy(),
                        HostView.State.RESTING, counts.resting());
        return byState.entrySet().stream()
                .filter(
                        each ->
                                state.isEmpty()
                                        || JobJson.Host.stateId(each.getKey()).equals(state.get()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    void deadLetters(ApiCall apiCall) throws Exception {
        var job = job(apiCall);
        var cause = apiCall.query("cause").map(JobsApi::cause);
        var letters = new ArrayList<DeadLetterJson>();
        var total = new long[1];
        var last = apiCall.offset() + apiCall.limit();
        jobs.deadLetters(
                job,
                letter -> {
                    if (cause.isEmpty() || letter.cause().id().equals(cause.get())) {
                        if (total[0] >= apiCall.offset() && total[0] < last) {
                            letters.add(DeadLetterJson.of(letter));
                        }
                        total[0]++;
                    }
                });
        apiCall.jsonItems(letters, total[0]);
    }

    private record DeadLetterJson(
            String url, String cause, int attempts, int depth, Instant foundAt) {

        static DeadLetterJson of(DeadLetter letter) {
            return new DeadLetterJson(
                    letter.url().toString(),
                    letter.cause().id(),
                    letter.attempts() + 1,
                    letter.depth(),
                    letter.foundAt());
        }
    }

    void retry(ApiCall apiCall) throws Exception {
        var job = job(apiCall);
        var filter = retryFilter(apiCall.body());
        var retried =
                continued(apiCall, job.id(), OPEN, () -> jobs.retryDeadLetters(job.id(), filter));
        apiCall.json(new Retried(retried));
    }

    private record Retried(long retried) {}

    /** Selects all dead letters if the body is empty; an unknown field is an error. */
    private static Predicate<DeadLetter> retryFilter(JsonNode body) {
        for (var name : body.propertyNames()) {
            if (!RETRY_FIELDS.contains(name)) {
                throw ProblemException.inField(
                        name, "Unknown field '%s'; expected url or cause.".formatted(name));
            }
        }
        var url = text(body, "url");
        var cause = text(body, "cause").map(JobsApi::cause);
        if (url.isPresent() && cause.isPresent()) {
            throw ProblemException.inField("cause", "Send url or cause, not both.");
        }
        return letter ->
                url.filter(wanted -> !letter.url().toString().equals(wanted)).isEmpty()
                        && cause.filter(wanted -> !letter.cause().id().equals(wanted)).isEmpty();
    }
}
