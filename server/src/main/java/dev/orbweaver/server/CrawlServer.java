package dev.orbweaver.server;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.TimeProfile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.engine.CrawlReports;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.jobs.FailureText;
import dev.orbweaver.internal.jobs.JobLabels;
import dev.orbweaver.internal.jobs.JobRecord;
import dev.orbweaver.internal.jobs.JobRules;
import dev.orbweaver.internal.jobs.Jobs;
import dev.orbweaver.internal.jobs.NoSuchJobException;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.TransferStats;
import dev.orbweaver.server.AccessControl.Access;
import dev.orbweaver.server.metrics.Metrics;
import dev.orbweaver.server.metrics.ProcessLedger;
import dev.orbweaver.server.schedules.Schedules;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.util.JavalinBindException;

import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The server of {@code orbweaver serve}: REST API, live events, metrics and dashboard, for the jobs
 * of one directory or of a fleet.
 */
public final class CrawlServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CrawlServer.class);
    private static final String BEGUN = "begun";
    private static final String ROUTE = "route";

    /** Connections that wait to be accepted; beyond the default of 50 a burst would lose some. */
    private static final int ACCEPT_QUEUE = 1_024;

    private static final int HEADER_BYTES_MAX = 16 << 10;

    private static final Pattern NEEDS_JOBS =
            Pattern.compile(Routes.API + "/(jobs|fleet|schedules)(/|$)");

    /**
     * Forbids other origins and inline scripts and styles, so that crawled content can only be
     * text.
     */
    static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none';"
                    + " form-action 'self'; frame-ancestors 'none'";

    private static final int REFUSALS_MAX = 100;

    /**
     * Address, tokens and limits of the server.
     *
     * @param port 0 for any free port
     * @param tokens the token file; without it only loopback addresses are allowed
     * @param callsPerSecond sustained rate limit per caller
     * @param clientsMax concurrent event subscribers
     * @param openJobsMax jobs that are queued, running or paused
     * @param indexNow whether sites may announce changed URLs
     * @param keep how long jobs are kept after their end, unless they have a rule of their own
     */
    public record HttpSettings(
            String address,
            int port,
            Optional<Path> tokens,
            double callsPerSecond,
            int clientsMax,
            int openJobsMax,
            long heartbeatMillis,
            boolean indexNow,
            JobLabels.Keep keep) {

        /** Settings without a receiver of IndexNow, with which all jobs are kept. */
        public HttpSettings(
                String address,
                int port,
                Optional<Path> tokens,
                double callsPerSecond,
                int clientsMax,
                int openJobsMax,
                long heartbeatMillis) {
            this(
                    address,
                    port,
                    tokens,
                    callsPerSecond,
                    clientsMax,
                    openJobsMax,
                    heartbeatMillis,
                    false,
                    JobLabels.Keep.ALL);
        }

        /** Switches the receiver of IndexNow on or off. */
        public HttpSettings withIndexNow(boolean isOn) {
            return new HttpSettings(
                    address,
                    port,
                    tokens,
                    callsPerSecond,
                    clientsMax,
                    openJobsMax,
                    heartbeatMillis,
                    isOn,
                    keep);
        }

        /** Sets how long jobs are kept after their end. */
        public HttpSettings withKeep(JobLabels.Keep rule) {
            return new HttpSettings(
                    address,
                    port,
                    tokens,
                    callsPerSecond,
                    clientsMax,
                    openJobsMax,
                    heartbeatMillis,
                    indexNow,
                    rule);
        }

        /** Settings for loopback, without tokens. */
        public static HttpSettings onLoopback(int port) {
            return new HttpSettings("127.0.0.1", port, Optional.empty(), 50, 2_000, 1_000, 15_000);
        }
    }

    private final Jobs jobs;
    private final JobEventFeeds jobEventFeeds;
    private final Webhooks webhooks;
    private final ChangesApi changesApi;
    private final WebhookDeliveries webhookDeliveries;
    private final ChangeWebhooks changeWebhooks;
    private final Metrics metrics;
    private final ProcessLedger counted = new ProcessLedger();
    private final AccessControl accessControl;
    private final AuditLog auditLog;

    /** Limits the entries of the audit log without a valid token. */
    private final RateLimiter refusalLimiter = new RateLimiter(REFUSALS_MAX, 0.1, System::nanoTime);

    private final TokenUsage tokenUsage;
    private final DiskUsage diskUsage;
    private final JobRetention retention;
    private final MapApi mapApi;
    private final ReportsApi reports;
    private final ExportsApi exportsApi;
    private final Schedules schedules;
    private final IndexNowApi indexNow;
    private final Routes routes;
    private final Dashboard dashboard = new Dashboard();
    private final Javalin http;
    private volatile boolean ready;

    private CrawlServer(
            Jobs.JobsSettings terms, HttpSettings httpSettings, Optional<SiteMaps> siteMaps)
            throws IOException, ConfigException {
        var apiTokens =
                httpSettings.tokens.isPresent()
                        ? ApiTokens.read(httpSettings.tokens.get())
                        : ApiTokens.none();
        if (!apiTokens.required() && !AccessControl.isLoopbackAddress(httpSettings.address)) {
            throw new InvalidArgumentException(
                    "%s is reachable from other machines; set --token-file, or listen on 127.0.0.1"
                            .formatted(httpSettings.address));
        }
        this.metrics = new Metrics(this::metricsSnapshot);
        this.webhooks = new Webhooks(terms.addresses());
        webhooks.register(metrics.service());
        this.jobEventFeeds = new JobEventFeeds(metrics.requestTimes());
        this.jobs = terms.open(jobEventFeeds);
        this.auditLog = new AuditLog(terms.data());
        this.tokenUsage = new TokenUsage(jobs, apiTokens, terms.data(), InstantSource.system());
        this.diskUsage = new DiskUsage(jobs, terms.data(), DiskUsage.INTERVAL);
        this.retention =
                new JobRetention(
                        jobs,
                        httpSettings.keep,
                        neededCrawls(terms),
                        auditLog,
                        InstantSource.system());
        this.accessControl =
                new AccessControl(apiTokens, httpSettings.callsPerSecond, InstantSource.system());
        jobEventFeeds.attach(jobs);
        var templates = new TemplateStore(new RealDisk(), terms.data());
        var requests = new JobRequestReader(jobs.table(), webhooks, templates, jobs.isShared());
        var jobsApi =
                new JobsApi(
                        jobs,
                        jobEventFeeds,
                        requests,
                        tokenUsage,
                        diskUsage,
                        auditLog,
                        httpSettings.openJobsMax);
        this.mapApi = new MapApi(terms, jobsApi, siteMaps, httpSettings.heartbeatMillis);
        this.schedules =
                new Schedules(
                        new RealDisk(),
                        terms.data(),
                        jobs,
                        jobsApi.ofSchedules(),
                        InstantSource.system());
        this.indexNow = indexNow(terms, httpSettings);
        this.changesApi =
                new ChangesApi(
                        jobs,
                        jobsApi,
                        accessControl,
                        httpSettings.clientsMax,
                        httpSettings.heartbeatMillis);
        this.webhookDeliveries =
                new WebhookDeliveries(
                        jobs, webhooks, InstantSource.system(), WebhookDeliveries.RETRY_DELAYS);
        this.changeWebhooks = new ChangeWebhooks(jobs, webhookDeliveries);
        this.reports = new ReportsApi(jobs, jobEventFeeds, jobsApi);
        this.exportsApi = new ExportsApi(jobs, jobsApi);
        this.routes =
                new Routes(
                        jobsApi,
                        new BulkApi(jobsApi),
                        new RecrawlApi(jobs, jobsApi),
                        new SeedsApi(jobs, jobsApi, terms.data()),
                        new HostsApi(jobs, jobsApi, jobEventFeeds),
                        new WebhooksApi(jobsApi, webhookDeliveries),
                        new PagesApi(jobs, jobEventFeeds, jobsApi),
                        reports,
                        new TotalsApi(jobs, jobEventFeeds, tokenUsage, diskUsage),
                        new EventsApi(
                                jobEventFeeds,
                                jobsApi,
                                accessControl,
                                httpSettings.clientsMax,
                                httpSettings.heartbeatMillis),
                        changesApi,
                        exportsApi,
                        mapApi,
                        new ScrapeApi(terms, jobs, jobsApi, tokenUsage, InstantSource.system()),
                        new TemplatesApi(templates, jobsApi, terms, jobs.table()),
                        new SchedulesApi(schedules, jobs, jobsApi, terms, InstantSource.system()),
                        indexNow,
                        new SystemApi(jobs, metrics, apiTokens, tokenUsage, auditLog, () -> ready),
                        accessControl);
        this.http = Javalin.create(config -> configure(config, httpSettings));
    }

    /** Opens the directory, starts the server, and resumes open jobs; the server has no maps. */
    public static CrawlServer start(Jobs.JobsSettings terms, HttpSettings httpSettings)
            throws IOException, ConfigException {
        return start(terms, httpSettings, Optional.empty());
    }

    /** Opens the directory, starts the server, and resumes open jobs. */
    public static CrawlServer start(
            Jobs.JobsSettings terms, HttpSettings httpSettings, Optional<SiteMaps> siteMaps)
            throws IOException, ConfigException {
        var crawlServer = new CrawlServer(terms, httpSettings, siteMaps);
        try {
            var _ = crawlServer.http.start();
        } catch (JavalinBindException e) {
            crawlServer.close();
            throw new InvalidArgumentException(
                    "could not listen on %s:%d; another process may use the port: choose another with --port"
                            .formatted(httpSettings.address, httpSettings.port));
        }
        crawlServer.beginCounting();
        crawlServer.exportsApi.deleteLeftFiles();
        crawlServer.jobs.start();
        crawlServer.webhookDeliveries.start();
        crawlServer.changeWebhooks.start();
        crawlServer.diskUsage.start();
        crawlServer.schedules.start(); // Before jobs can be changed.
        crawlServer.ready = true;
        return crawlServer;
    }

    /** Returns the directories of crawls that the operator's settings name for all jobs. */
    private static Set<Path> neededCrawls(Jobs.JobsSettings terms) throws ConfigException {
        return JobRules.operatorOnly(terms.settings()).warc().dedupeWith().stream()
                .filter(place -> !CrawlConfig.isRemote(place))
                .map(place -> Path.of(place).toAbsolutePath().normalize())
                .collect(Collectors.toSet());
    }

    private IndexNowApi indexNow(Jobs.JobsSettings terms, HttpSettings httpSettings)
            throws IOException, ConfigException {
        Optional<IndexNowKeys> keys = Optional.empty();
        if (httpSettings.indexNow) {
            if (jobs.isShared()) {
                throw new InvalidArgumentException(
                        "jobs of a fleet cannot receive IndexNow: start without --indexnow, or"
                                + " without --redis");
            }
            var temporary = terms.data().resolve(DirectoryLayout.TEMPORARY);
            Files.createDirectories(temporary);
            keys =
                    Optional.of(
                            new IndexNowKeys(
                                    JobRules.operatorOnly(terms.settings()).networkSettings(),
                                    terms.addresses(),
                                    temporary,
                                    InstantSource.system()));
        }
        return new IndexNowApi(jobs, keys);
    }

    public int port() {
        return http.port();
    }

    public Jobs jobs() {
        return jobs;
    }

    List<Routes.Route> routes() {
        return routes.all();
    }

    private void configure(JavalinConfig config, HttpSettings httpSettings) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.concurrency.useVirtualThreads = true;
        config.jetty.host = httpSettings.address;
        config.jetty.port = httpSettings.port;
        config.jetty.addConnector(
                (server, http) -> {
                    var connector = new ServerConnector(server, new HttpConnectionFactory(http));
                    connector.setHost(httpSettings.address);
                    connector.setPort(httpSettings.port);
                    connector.setAcceptQueueSize(ACCEPT_QUEUE);
                    return connector;
                });
        config.jetty.modifyHttpConfiguration(CrawlServer::harden);
        config.jetty.modifyServer(server -> server.setErrorHandler(CrawlServer::badRequest));
        config.http.generateEtags = false;
        config.http.prefer405over404 = true;
        config.http.maxRequestSize = ApiCall.BODY_MAX + 1L;
        for (var route : routes.all()) {
            ApiCall.Handler handler =
                    apiCall -> {
                        apiCall.requireKnownParameters(route.parameters());
                        route.handler().handle(apiCall);
                    };
            add(config, route.method(), route.path(), route.path(), route.access(), handler);
        }
        config.routes.after(this::countCall);
        for (var path : List.of("/", "/<path>")) {
            add(config, "GET", path, "dashboard", Access.LINKED, dashboard::serve);
        }
        config.routes.exception(ProblemException.class, CrawlServer::problem);
        config.routes.exception(
                NoSuchJobException.class,
                (e, context) ->
                        problem(
                                ProblemException.of(
                                        ProblemException.NOT_FOUND, String.valueOf(e.getMessage())),
                                context));
        config.routes.exception(
                Schedules.NoSuchScheduleException.class,
                (e, context) ->
                        problem(
                                ProblemException.of(
                                        ProblemException.NOT_FOUND, String.valueOf(e.getMessage())),
                                context));
        config.routes.exception(
                Schedules.ConflictException.class,
                (e, context) ->
                        problem(
                                ProblemException.of(
                                        ProblemException.CONFLICT, String.valueOf(e.getMessage())),
                                context));
        config.routes.exception(
                FrontierUnavailableException.class,
                (e, context) -> problem(storageUnavailable(e.problem().message()), context));
        config.routes.exception(
                FrontierFailedException.class,
                (e, context) -> problem(failed(FailureText.of(e)), context));
        config.routes.exception(Exception.class, CrawlServer::internalError);
        config.routes.error(
                ProblemException.METHOD_NOT_ALLOWED,
                context ->
                        problem(
                                ProblemException.of(
                                        ProblemException.METHOD_NOT_ALLOWED,
                                        "Method %s is not allowed."
                                                .formatted(context.method().name())),
                                context));
        config.routes.error(
                ProblemException.NOT_FOUND,
                context -> {
                    var type = String.valueOf(context.res().getContentType());
                    if (!type.contains("json") && !type.startsWith("text/html")) {
                        problem(
                                ProblemException.of(
                                        ProblemException.NOT_FOUND,
                                        "No resource at " + context.path() + "."),
                                context);
                    }
                });
    }

    private static void harden(HttpConfiguration http) {
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setRequestHeaderSize(HEADER_BYTES_MAX);
    }

    /**
     * Formats requests that Jetty itself rejects, such as a path with "..", like other problems.
     */
    private static boolean badRequest(Request request, Response response, Callback callback) {
        var problem = ProblemException.of(response.getStatus(), "Bad request.");
        response.getHeaders().put("Content-Type", "application/problem+json; charset=utf-8");
        response.getHeaders().put("Content-Security-Policy", CONTENT_SECURITY_POLICY);
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        response.getHeaders()
                .put("Connection", "close"); // Accept no further request on this connection.
        response.write(true, ByteBuffer.wrap(problem.toJson()), callback);
        return true;
    }

    private void add(
            JavalinConfig config,
            String method,
            String path,
            String route,
            Access access,
            ApiCall.Handler handler) {
        Handler handleRoute =
                context -> {
                    context.attribute(ROUTE, route); // First: refused calls are counted, too.
                    handle(context, access, handler);
                };
        config.routes.addHttpHandler(HandlerType.findOrCreate(method), path, handleRoute);
        if (method.equals("GET")) {
            config.routes.addHttpHandler(HandlerType.HEAD, path, handleRoute);
        }
    }

    /**
     * Counts a call; the files of the dashboard are one route, and events end with their client.
     */
    private void countCall(Context context) {
        audit(context);
        Long begun = context.attribute(BEGUN);
        String route = context.attribute(ROUTE);
        if (begun != null && route != null && !route.endsWith("/events")) {
            metrics.service()
                    .addCall(
                            context.method().name(),
                            route,
                            context.statusCode(),
                            Duration.ofNanos(System.nanoTime() - begun));
        }
    }

    /** Records calls that change something, and those that were not permitted. */
    private void audit(Context context) {
        var method = context.method().name();
        var status = context.statusCode();
        var reads = method.equals("GET") || method.equals("HEAD");
        var isRefused =
                status == ProblemException.UNAUTHORISED || status == ProblemException.FORBIDDEN;
        if (reads && !isRefused) {
            return;
        }
        var token = AccessControl.token(context);
        if (token.isEmpty() && !(isRefused && mayLogRefusal(context))) {
            return;
        }
        audit(context, token, new BulkApi.Change(method, context.path(), status));
        BulkApi.changes(context).forEach(change -> audit(context, token, change));
    }

    private void audit(Context context, Optional<TokenFile.Token> token, BulkApi.Change change) {
        auditLog.add(
                new AuditLog.Entry(
                        Instant.now(),
                        token.map(TokenFile.Token::name).orElse(""),
                        token.map(each -> each.role().id()).orElse(""),
                        context.ip(),
                        change.method(),
                        change.path(),
                        change.status()));
    }

    /** Without a limit, anyone could push the other entries out of the log. */
    private boolean mayLogRefusal(Context context) {
        return AccessControl.isKnownAttempt(context) && refusalLimiter.tryAcquire("");
    }

    private void handle(Context context, Access access, ApiCall.Handler handler) throws Exception {
        context.header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                .header("X-Content-Type-Options", "nosniff")
                .header("Referrer-Policy", "no-referrer")
                .header("X-Frame-Options", "DENY")
                .header("Cross-Origin-Opener-Policy", "same-origin")
                .header("Cross-Origin-Resource-Policy", "same-origin")
                .header("Cache-Control", "no-store");
        context.attribute(BEGUN, System.nanoTime());
        accessControl.check(context, access);
        if (access.needsToken() && NEEDS_JOBS.matcher(context.path()).lookingAt()) {
            var problem = ready ? jobs.problem() : Optional.of("the service is starting");
            if (problem.isPresent()) {
                throw storageUnavailable(problem.get());
            }
        }
        handler.handle(new ApiCall(context));
    }

    /** The storage of jobs is temporarily unavailable. */
    private static ProblemException storageUnavailable(String why) {
        return ProblemException.of(
                ProblemException.UNAVAILABLE,
                "Job storage is unavailable and is retried every second: " + why + ".");
    }

    /** The frontier failed permanently; a restart is required. */
    private static ProblemException failed(String why) {
        return ProblemException.of(
                ProblemException.UNAVAILABLE,
                "The frontier has failed and jobs are halted; restart the service: " + why + ".");
    }

    private static void problem(ProblemException problem, Context context) {
        if (problem.status() == ProblemException.UNAUTHORISED) {
            context.header("WWW-Authenticate", "Bearer");
        }
        if (problem.status() == ProblemException.TOO_MANY_REQUESTS) {
            context.header("Retry-After", problem.retryAfter().orElse("1"));
        }
        if (problem.status() == ProblemException.UNAVAILABLE) {
            context.header("Retry-After", "2");
        }
        new ApiCall(context).problem(problem);
    }

    /** Sends a problem response, or aborts a response that has begun. */
    static void internalError(Exception e, Context context) {
        var begun = context.res().isCommitted();
        if (e instanceof ClientDisconnectedException
                || (begun && e instanceof InterruptedException)) {
            LOG.debug("client disconnected, or the service is stopping: {}", e.getMessage());
            return;
        }
        LOG.error("{} {} failed", context.method(), context.path(), e);
        if (begun) {
            return;
        }
        context.res().resetBuffer(); // Discard the partial response.
        problem(
                ProblemException.of(
                        ProblemException.INTERNAL_ERROR,
                        "Internal error: " + FailureText.of(e) + "."),
                context);
    }

    /** Jobs of earlier processes count from here, and deleted ones to their end. */
    private void beginCounting() {
        jobs.all().forEach(job -> counted.begin(job.id(), jobs.stats(job.id()).ledger()));
        jobEventFeeds.beforeDeletion(
                job -> {
                    counted.update(job, jobs.stats(job).ledger());
                    exportsApi.deleteTasks(job);
                });
        jobEventFeeds.everySecond(
                () -> {
                    exportsApi.removeOldTasks();
                    tokenUsage.tick();
                    retention.tick();
                });
        metrics.service().watchIndexLag(jobEventFeeds::indexLag);
    }

    private Ledger countLedger() {
        var all = jobs.all();
        for (var job : all) {
            if (job.state() != JobRecord.State.DELETED) {
                counted.update(job.id(), jobs.stats(job.id()).ledger());
            }
        }
        counted.retain(all.stream().map(JobRecord::id).collect(Collectors.toSet()));
        return counted.total();
    }

    private Metrics.MetricsSnapshot metricsSnapshot() {
        // Metrics reads its source once in its constructor, before the jobs are opened.
        return ready ? collectMetrics() : EMPTY_METRICS;
    }

    static final Metrics.MetricsSnapshot EMPTY_METRICS =
            new Metrics.MetricsSnapshot(
                    new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                    new FrontierStats(
                            new Ledger(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                            new FrontierStats.Hosts(0, 0, 0, 0, 0),
                            Map.of(),
                            Map.of()),
                    Map.of(),
                    0,
                    0,
                    0,
                    Map.of(),
                    0,
                    List.of(),
                    TransferStats.NONE);

    private Metrics.MetricsSnapshot collectMetrics() {
        var states = new HashMap<String, Integer>();
        for (var state : JobRecord.State.values()) {
            if (state != JobRecord.State.DELETED) {
                states.put(state.id(), 0);
            }
        }
        var stores = new ArrayList<SinkStatus>();
        var statuses = new ArrayList<CrawlStatus>();
        for (var job : jobs.all()) {
            states.merge(job.state().id(), 1, Integer::sum);
            jobs.status(job.id()).ifPresent(statuses::add);
            stores.addAll(jobs.sinkStatus(job.id()));
        }
        var waiting = new HashMap<String, Double>();
        for (var phase : TimeProfile.Phase.values()) {
            waiting.put(phase.id(), 0.0);
        }
        for (var status : statuses) {
            CrawlReports.phaseSeconds(status.timeProfile())
                    .forEach((phase, seconds) -> waiting.merge(phase, seconds, Double::sum));
        }
        return new Metrics.MetricsSnapshot(
                countLedger(),
                jobs.stats(),
                states,
                statuses.stream().mapToInt(CrawlStatus::openConnections).sum(),
                statuses.stream().mapToInt(CrawlStatus::inFlight).sum(),
                statuses.stream().mapToInt(status -> status.governor().allowed()).sum(),
                waiting,
                jobEventFeeds.subscriberCount(),
                stores,
                jobs.usage());
    }

    /** Stops the server; open jobs resume when the directory is opened again. */
    @Override
    public void close() throws IOException {
        ready = false;
        changesApi.close();
        changeWebhooks.close();
        webhookDeliveries.close();
        diskUsage.close();
        reports.close();
        jobEventFeeds.close(); // First, because the server would wait for subscribers.
        mapApi.close();
        exportsApi.close();
        schedules.close();
        indexNow.close();
        var _ = http.stop();
        tokenUsage.save();
        jobs.close();
        webhooks.close();
        metrics.close();
    }
}
