package dev.orbweaver.e2e;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.export.ExportFormat;
import dev.orbweaver.export.ExportRunner;
import dev.orbweaver.export.ExportSettings;
import dev.orbweaver.export.ExportTarget;
import dev.orbweaver.fleet.redis.CuttingProxy;
import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.config.YamlFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testkit.AuditReport;
import dev.orbweaver.testkit.AuditRules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A fleet of real processes over a real Redis, with a simulated web between, in which workers are
 * killed or stopped, Redis is killed and connections to it are cut, at random moments, until enough
 * of it has happened. Then it is left alone and must come to its end.
 */
public final class FleetKills implements AutoCloseable {

    private static final String FLEET = "kills";
    private static final Duration HOST_DELAY = Duration.ofMillis(25);
    private static final Duration ALLOWANCE = Duration.ofMillis(5);
    private static final Duration HOST_LEASE = Duration.ofSeconds(3);
    private static final Duration RESPONSE_MAX = Duration.ofMinutes(30);
    private static final int PROGRESS_EVERY = 10;
    private static final Pattern URL = Pattern.compile("\"url\":\"([^\"]+)\"");

    /**
     * How much is to happen.
     *
     * @param redisMegabytes what may be queued in Redis before it goes to files; with 1 everything
     *     does all the time, as Redis uses more than that by itself
     */
    public record Plan(
            int workers,
            int workerKills,
            int redisKills,
            int stops,
            int cuts,
            int redisMegabytes) {}

    /** What came of it. */
    public record Outcome(
            Map<String, Object> figures,
            Set<String> missing,
            Set<String> extra,
            long doubled,
            AuditReport audit) {

        /** Whether the merged log has every page, once, and no other. */
        public boolean exact() {
            return missing.isEmpty() && extra.isEmpty() && doubled == 0;
        }

        /** Whether the early requests are no more than were due to stops. */
        public boolean polite(int stops) {
            return audit.earlyOnHost().size() <= stops
                    && audit.forbidden().isEmpty()
                    && audit.beforeRobots().isEmpty();
        }
    }

    private final Plan plan;
    private final Consumer<String> progress;
    private final Path directory;
    private final LoopbackWeb web;
    private final Random random;
    private final RedisProcess redis;
    private final CuttingProxy proxy;
    private final List<Process> workers = new ArrayList<>();

    /** A fleet without workers. */
    public FleetKills(
            Path directory, LoopbackWeb web, long seed, Plan plan, Consumer<String> progress)
            throws IOException {
        this.plan = plan;
        this.progress = progress;
        this.directory = directory;
        this.web = web;
        this.random = new Random(seed);
        this.redis =
                RedisProcess.start(
                        Files.createDirectories(directory.resolve("redis")),
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "everysec");
        this.proxy = new CuttingProxy(redis.port);
    }

    /** Runs it all. */
    public Outcome run() throws Exception {
        for (var i = 0; i < plan.workers; i++) {
            workers.add(start(i));
        }
        try (var fleet = Fleet.open(FleetSettings.of(redis.uri(), FLEET, "visitor"))) {
            var config =
                    web.config(
                            "delay=" + HOST_DELAY.toMillis() + "ms",
                            "delay-ip=0",
                            "max-disk-wait=1h");
            var job =
                    fleet.submit(
                            "once",
                            YamlFile.write(config.settingValues()),
                            List.of(web.hub()),
                            Instant.now());
            injectFault();
            await(
                    () ->
                            fleet.job(job)
                                    .map(FleetJob::state)
                                    .filter(FleetJob.State.FINISHED::equals)
                                    .isPresent());
            return outcome(fleet, job);
        }
    }

    private void injectFault() throws Exception {
        var events = new ArrayList<Runnable>();
        for (var i = 0; i < plan.workerKills; i++) {
            events.add(this::killAWorker);
        }
        for (var i = 0; i < plan.redisKills; i++) {
            events.add(this::killRedis);
        }
        for (var i = 0; i < plan.stops; i++) {
            events.add(this::stopAWorker);
        }
        for (var i = 0; i < plan.cuts; i++) {
            events.add(this::cut);
        }
        Collections.shuffle(events, random);
        var apart = Math.max(60, web.truth().pages().size() / (events.size() + 1));
        for (var i = 0; i < events.size(); i++) {
            var event = events.get(i);
            if (i % PROGRESS_EVERY == 0) {
                progress.accept(
                        "%d of %d events, %d requests"
                                .formatted(i, events.size(), web.auditor().requests()));
            }
            awaitRequests(random.nextInt(1, apart));
            Thread.sleep(0, random.nextInt(900_000));
            event.run();
        }
    }

    /** Waits until the web has seen some more requests, or for a while in which there are none. */
    private void awaitRequests(int more) throws InterruptedException {
        var enough = web.auditor().requests() + more;
        for (var i = 0; i < 2_500 && web.auditor().requests() < enough; i++) {
            Thread.sleep(2);
        }
    }

    private void killAWorker() {
        var which = random.nextInt(workers.size());
        try {
            workers.get(which).destroyForcibly().waitFor();
            workers.set(which, start(which));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void killRedis() {
        try {
            redis.kill();
            Thread.sleep(random.nextInt(500));
            redis.restart();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Every connection at once, or one of them instead of an answer that was on its way. */
    private void cut() {
        if (random.nextBoolean()) {
            proxy.dropNextReply();
            return;
        }
        try {
            proxy.shut(true);
            Thread.sleep(random.nextInt(200));
            proxy.shut(false);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** For longer than its hosts are lent, so that they are with others when it wakes. */
    private void stopAWorker() {
        var process = workers.get(random.nextInt(workers.size()));
        try {
            signal("STOP", process);
            Thread.sleep(HOST_LEASE.toMillis() + random.nextInt(2_000));
            signal("CONT", process);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void signal(String name, Process process)
            throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }

    private Process start(int number) throws IOException {
        var command = ProgramJvm.program("-Xmx160m");
        command.addAll(List.of("worker", "--redis", proxy.uri(), "--fleet", FLEET));
        command.addAll(List.of("--data", data(number).toString(), "--name", "w" + number));
        command.addAll(List.of("--concurrency", "16", "--allow-private", "--quiet"));
        command.addAll(List.of("--host-lease", HOST_LEASE.toSeconds() + "s"));
        command.addAll(List.of("--overflow", directory.resolve("tails").toString()));
        command.addAll(List.of("--redis-memory", plan.redisMegabytes + "MB"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(
                                directory.resolve("w" + number + ".out").toFile()))
                .start();
    }

    private Path data(int number) {
        return directory.resolve("w" + number);
    }

    private interface Condition {
        boolean test() throws IOException;
    }

    private void await(Condition condition) throws Exception {
        var until = System.nanoTime() + RESPONSE_MAX.toNanos();
        while (!condition.test()) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("the fleet does not come to its end\n" + output());
            }
            for (var worker : workers) {
                if (!worker.isAlive()) {
                    throw new IllegalStateException("a worker has left by itself\n" + output());
                }
            }
            Thread.sleep(100);
        }
    }

    private Outcome outcome(Fleet fleet, JobId job) throws Exception {
        var ledger = fleet.ledger(job, Instant.now());
        for (var worker : workers) {
            worker.destroy();
            worker.waitFor(60, TimeUnit.SECONDS);
        }
        var lines = linesOf(job);
        var merged = merged(job);
        var pages = new HashSet<>(merged);
        var groundTruth = web.truth();
        var missing = new TreeSet<>(groundTruth.pages());
        missing.removeAll(pages);
        var extra = new TreeSet<>(pages);
        extra.removeAll(groundTruth.pages());
        var audit =
                web.auditor()
                        .report(
                                new AuditRules(
                                        HOST_DELAY,
                                        Duration.ZERO,
                                        Duration.ZERO,
                                        1,
                                        ALLOWANCE,
                                        true));
        var figures = new LinkedHashMap<String, Object>();
        figures.put("workerKills", plan.workerKills);
        figures.put("redisKills", plan.redisKills);
        figures.put("stops", plan.stops);
        figures.put("cuts", plan.cuts);
        figures.put("requests", audit.requests());
        figures.put("pages", pages.size());
        figures.put("missing", missing.size());
        figures.put("extra", extra.size());
        figures.put("doubled", merged.size() - pages.size());
        figures.put("foldedWhenMerged", lines - merged.size());
        figures.put("ledgerPages", ledger.pages());
        figures.put("early", audit.earlyOnHost().size());
        figures.put("forbidden", audit.forbidden().size());
        return new Outcome(figures, missing, extra, merged.size() - pages.size(), audit);
    }

    /** How many pages stand in the workers' logs, of which some may be captures of the same. */
    private int linesOf(JobId job) throws IOException {
        var pages = new ArrayList<String>();
        for (var directory : directories(job)) {
            PageLog.read(
                    directory.resolve(DirectoryLayout.PAGE_LOG),
                    entry -> {
                        if (entry.kind() == Kind.PAGE) {
                            pages.add(entry.url());
                        }
                    });
        }
        return pages.size();
    }

    /** The pages of the job as whoever exports it sees them. */
    private List<String> merged(JobId job) throws IOException, ConfigException {
        var file = directory.resolve("merged.jsonl");
        var report =
                ExportRunner.run(
                        StoredCrawl.pages(directories(job), Settings.CORE),
                        ExportSettings.of(ExportFormat.JSONL, new ExportTarget.PathTarget(file)));
        var urls = new ArrayList<String>();
        try (var lines = Files.lines(file, StandardCharsets.UTF_8)) {
            lines.forEach(line -> urls.add(url(line)));
        }
        if (urls.size() != report.count()) {
            throw new IllegalStateException(urls.size() + " lines, but it says " + report);
        }
        return urls;
    }

    private static String url(String line) {
        var matcher = URL.matcher(line);
        if (!matcher.find()) {
            throw new IllegalStateException("no URL in " + line);
        }
        return matcher.group(1);
    }

    private List<Path> directories(JobId job) {
        return IntStream.range(0, plan.workers)
                .mapToObj(i -> data(i).resolve("jobs").resolve(Integer.toString(job.number())))
                .filter(path -> Files.exists(path.resolve(DirectoryLayout.PAGE_LOG)))
                .toList();
    }

    /** What the workers said, for whoever wants to know why. */
    public String output() throws IOException {
        var text = new StringBuilder();
        try (var files = Files.list(directory)) {
            for (var file : files.filter(each -> each.toString().endsWith(".out")).toList()) {
                text.append(file.getFileName()).append(": ");
                text.append(Files.readString(file, StandardCharsets.UTF_8)).append('\n');
            }
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        workers.forEach(Process::destroyForcibly);
        proxy.close();
        redis.close();
    }
}
