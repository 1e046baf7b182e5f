package dev.orbweaver.crawls;

import dev.orbweaver.config.YamlFile;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.FleetSettings;
import dev.orbweaver.frontier.redis.Job;
import dev.orbweaver.frontier.redis.RedisProcess;
import dev.orbweaver.lab.AuditReport;
import dev.orbweaver.lab.AuditRules;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.JobId;
import dev.orbweaver.sink.PageLog;

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

/**
 * A fleet of real processes over a real Redis, with a simulated web between, in which workers are
 * killed or stopped and Redis is killed, at random moments, until enough of it has happened. Then
 * it is left alone and must come to its end.
 */
public final class FleetKills implements AutoCloseable {

    private static final String FLEET = "kills";
    private static final Duration HOST_DELAY = Duration.ofMillis(25);
    private static final Duration ALLOWANCE = Duration.ofMillis(5);
    private static final Duration HOST_LEASE = Duration.ofSeconds(3);
    private static final Duration ANSWER_MAX = Duration.ofMinutes(30);
    private static final int PROGRESS_EVERY = 10;

    /** How much is to happen. */
    public record Plan(int workers, int workerKills, int redisKills, int stops) {}

    /** What came of it. */
    public record Outcome(
            Map<String, Object> figures,
            Set<String> missing,
            Set<String> extra,
            AuditReport audit) {

        /** Whether the early requests are no more than were due to stops. */
        public boolean polite(int stops) {
            return audit.earlyOnHost().size() <= stops
                    && audit.forbidden().isEmpty()
                    && audit.beforeRobots().isEmpty();
        }
    }

    private final Consumer<String> progress;
    private final Path folder;
    private final LabWeb web;
    private final Random random;
    private final RedisProcess redis;
    private final List<Process> workers = new ArrayList<>();

    /** A fleet without workers. */
    public FleetKills(Path folder, LabWeb web, long seed, Consumer<String> progress)
            throws IOException {
        this.progress = progress;
        this.folder = folder;
        this.web = web;
        this.random = new Random(seed);
        this.redis =
                RedisProcess.start(
                        Files.createDirectories(folder.resolve("redis")),
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "everysec");
    }

    /** Runs it all. */
    public Outcome run(Plan plan) throws Exception {
        for (var i = 0; i < plan.workers; i++) {
            workers.add(start(i));
        }
        try (var fleet = Fleet.open(FleetSettings.of(redis.uri(), FLEET, "visitor"))) {
            var config =
                    web.config(
                            "delay=" + HOST_DELAY.toMillis() + "ms",
                            "delay-ip=0",
                            "disk-patience=1h");
            var job =
                    fleet.submit(
                            "once",
                            YamlFile.write(config.values()),
                            List.of(web.hub()),
                            Instant.now());
            trouble(plan);
            await(
                    () ->
                            fleet.job(job)
                                    .map(Job::state)
                                    .filter(Job.State.FINISHED::equals)
                                    .isPresent());
            return outcome(plan, fleet, job);
        }
    }

    private void trouble(Plan plan) throws Exception {
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
            redis.startAgain();
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
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx160m",
                        "--enable-native-access=ALL-UNNAMED"));
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), "dev.orbweaver.cli.Main"));
        command.addAll(List.of("worker", "--redis", redis.uri(), "--fleet", FLEET));
        command.addAll(List.of("--data", data(number).toString(), "--name", "w" + number));
        command.addAll(List.of("--workers", "16", "--allow-private", "--quiet"));
        command.addAll(List.of("--host-lease", HOST_LEASE.toSeconds() + "s"));
        // Redis uses more than that by itself, so whatever is queued goes to files all the time.
        command.addAll(List.of("--overflow", folder.resolve("tails").toString()));
        command.addAll(List.of("--redis-memory", "1MB"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(
                                folder.resolve("w" + number + ".out").toFile()))
                .start();
    }

    private Path data(int number) {
        return folder.resolve("w" + number);
    }

    private interface Question {
        boolean ask() throws IOException;
    }

    private void await(Question question) throws Exception {
        var until = System.nanoTime() + ANSWER_MAX.toNanos();
        while (!question.ask()) {
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

    private Outcome outcome(Plan plan, Fleet fleet, JobId job) throws Exception {
        var ledger = fleet.ledger(job, Instant.now());
        for (var worker : workers) {
            worker.destroy();
            worker.waitFor(60, TimeUnit.SECONDS);
        }
        var pages = new HashSet<String>();
        var lines = 0;
        for (var i = 0; i < plan.workers; i++) {
            var log =
                    data(i).resolve("jobs")
                            .resolve(Integer.toString(job.number()))
                            .resolve(PageLog.FILE);
            if (Files.exists(log)) {
                var found = new ArrayList<String>();
                PageLog.read(
                        log,
                        entry -> {
                            if (entry.kind() == Kind.PAGE) {
                                found.add(entry.url());
                            }
                        });
                lines += found.size();
                pages.addAll(found);
            }
        }
        var truth = web.truth();
        var missing = new TreeSet<>(truth.pages());
        missing.removeAll(pages);
        var extra = new TreeSet<>(pages);
        extra.removeAll(truth.pages());
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
        figures.put("requests", audit.requests());
        figures.put("pages", pages.size());
        figures.put("missing", missing.size());
        figures.put("extra", extra.size());
        figures.put("foldedWhenMerged", lines - pages.size());
        figures.put("ledgerPages", ledger.pages());
        figures.put("early", audit.earlyOnHost().size());
        figures.put("forbidden", audit.forbidden().size());
        return new Outcome(figures, missing, extra, audit);
    }

    /** What the workers said, for whoever wants to know why. */
    public String output() throws IOException {
        var text = new StringBuilder();
        try (var files = Files.list(folder)) {
            for (var file : files.filter(each -> each.toString().endsWith(".out")).toList()) {
                text.append(file.getFileName()).append(": ");
                text.append(Files.readString(file, StandardCharsets.UTF_8)).append('\n');
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        workers.forEach(Process::destroyForcibly);
        redis.close();
    }
}
