package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;

/** Crawls of other programs that are imported into a fleet. */
@Slow
class FleetImportCommandTest {

    private static final int VISITED = 30_000;
    private static final int QUEUED = 200;
    private static final int DUPLICATE = 15_000;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final Set<String> requests = ConcurrentHashMap.newKeySet();
    private RedisProcess redis;
    private HttpServer web;
    private String site = "";

    @BeforeEach
    void start() throws IOException {
        redis = RedisProcess.start(Files.createDirectories(directory.resolve("redis")));
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        web.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        var path = exchange.getRequestURI().getPath();
                        var robots = path.equals("/robots.txt");
                        if (!robots) {
                            requests.add(path);
                        }
                        // Every page links to a page that was visited.
                        var body = "<a href=/visited/1>page</a>".getBytes(UTF_8);
                        exchange.getResponseHeaders().add("Content-Type", "text/html");
                        exchange.sendResponseHeaders(robots ? 404 : 200, body.length);
                        exchange.getResponseBody().write(body);
                    }
                });
        web.start();
        site = "http://127.0.0.1:" + web.getAddress().getPort() + "/";
    }

    @AfterEach
    void stop() {
        web.stop(0);
        redis.close();
    }

    private Path list(String name, int from, int to, String path) throws IOException {
        var file = directory.resolve(name);
        try (var out = Files.newBufferedWriter(file)) {
            for (var i = from; i <= to; i++) {
                out.write(site + path + "/" + i + "\n");
            }
        }
        return file;
    }

    private List<String> arguments() throws IOException {
        var visited = list("visited.txt", 1, VISITED, "visited");
        var queued = list("queued.txt", 1, QUEUED, "queued");
        Files.writeString(
                queued,
                Files.readString(queued)
                        + "not a URL\n"
                        + Files.readString(list("some.txt", 1, DUPLICATE, "visited")));
        return List.of(
                "import",
                "scrapy",
                queued.toString(),
                "--visited",
                visited.toString(),
                "--redis",
                redis.uri(),
                "--out",
                directory.resolve("lists").toString(),
                "--set",
                "delay=0",
                "--set",
                "delay-ip=0",
                "--set",
                "min-free-disk=0",
                "--set",
                "concurrency-per-host=8",
                "--set",
                "contact=test@example.org");
    }

    private Process start(String name, List<String> arguments) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx256m",
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.orbweaver.cli.Main"));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(name).toFile()))
                .start();
    }

    private void killWhen(List<String> arguments, String what, Callable<Boolean> condition)
            throws Exception {
        var process = start("import.out", arguments);
        try {
            Eventually.until(what, condition::call);
            assertThat(process.isAlive()).as("killed when " + what).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void anImportThatIsKilledIsContinuedAndTheWorkersCrawlTheRest() throws Exception {
        var arguments = arguments();
        try (var fleet = Fleet.open(FleetSettings.of(redis.uri(), "orbweaver", "visitor"))) {
            killWhen(arguments, "a job exists", () -> !fleet.jobs().isEmpty());
            var job = fleet.jobs().getFirst().id();
            killWhen(
                    arguments,
                    "visited URLs are loaded",
                    () -> fleet.ledger(job, Instant.now()).done() > 0);
            killWhen(
                    arguments,
                    "queued URLs are loaded",
                    () -> fleet.ledger(job, Instant.now()).duplicate() > 0);
            assertThat(fleet.job(job).orElseThrow().state()).isEqualTo(FleetJob.State.IMPORTING);
            var result = CommandResult.run(arguments.toArray(String[]::new));
            var expected =
                    """
                                 rows  imported  duplicate  rejected
                      visited  30,000    30,000          0         0
                      urls     15,201       200     15,000         1
                    job %d: the workers crawl it; 'orbweaver fleet' shows it
                    """
                            .formatted(job.number());
            assertThat(result.err()).contains("the fleet has no workers");
            assertThat(result.out()).isEqualTo(expected);
            assertThat(result.code()).isZero();
            assertThat(CommandResult.run(arguments.toArray(String[]::new)).out())
                    .as("the same command again")
                    .isEqualTo(expected);
            assertThat(fleet.jobs()).hasSize(1);
            var rejected =
                    Files.readString(
                            directory.resolve("lists/seed-lists/000002-urls.list.rejected.tsv"));
            assertThat(rejected).contains("not a URL");

            var worker =
                    start(
                            "worker.out",
                            List.of(
                                    "worker",
                                    "--redis",
                                    redis.uri(),
                                    "--data",
                                    directory.resolve("w").toString(),
                                    "--allow-private",
                                    "--quiet"));
            try {
                Eventually.until(
                        "the job is finished",
                        () -> fleet.job(job).orElseThrow().state() == FleetJob.State.FINISHED);
            } finally {
                worker.destroyForcibly().waitFor();
            }
            var ledger = fleet.ledger(job, Instant.now());
            assertThat(ledger.pages()).isEqualTo(QUEUED);
            assertThat(ledger.accepted()).isEqualTo(VISITED + QUEUED);
            assertThat(ledger.balances()).isTrue();
            assertThat(requests)
                    .hasSize(QUEUED)
                    .allSatisfy(path -> assertThat(path).startsWith("/queued/"));
        }
    }

    @Test
    void capturesOfAnArchiveAreNotFetchedByTheWorkers() throws Exception {
        var index =
                Files.writeString(
                        directory.resolve("index.cdxj"),
                        "a 20260101000000 {\"url\":\"%svisited/1\",\"status\":\"200\"}\nb 20260101000000 {\"url\":\"%s\",\"status\":\"200\"}\n"
                                .formatted(site, site));
        var worker =
                start(
                        "worker.out",
                        List.of(
                                "worker",
                                "--redis",
                                redis.uri(),
                                "--data",
                                directory.resolve("w").toString(),
                                "--allow-private",
                                "--quiet"));
        try {
            var crawl =
                    CommandResult.run(
                            "crawl",
                            site,
                            "--seed-from",
                            "cdxj:" + index,
                            "--import-captures",
                            "--delay=0",
                            "--contact=test@example.org",
                            "--redis",
                            redis.uri());
            assertThat(crawl.code()).as(crawl.err()).isZero();
            assertThat(requests).as("the page that was named").containsExactly("/");
        } finally {
            worker.destroyForcibly().waitFor();
        }
    }

    @Test
    void wrongInputIsOneSentence() throws Exception {
        var list = Files.writeString(directory.resolve("urls.txt"), site + "a\n");
        var lists = directory.resolve("lists").toString();
        var command = new String[] {"import", "scrapy", list.toString(), "--out", lists};
        assertThat(run(command, "--redis", "redis://127.0.0.1:1").err())
                .contains("127.0.0.1:1")
                .hasLineCount(1);
        assertThat(Path.of(lists)).doesNotExist();
        assertThat(run(command, "--fleet", "x").err())
                .isEqualTo(
                        "orbweaver: --fleet needs --redis: the URL of the fleet's Redis; without"
                                + " it, the crawl is imported into a directory\n");
        assertThat(run(command, "--redis", redis.uri(), "--set", "cookies-file=c.txt").err())
                .contains("--cookies-file names a file, which the fleet's workers do not have");
        assertThat(run(command, "--redis", redis.uri(), "--set", "retention=1d").err())
                .contains("--retention cannot be used with --redis");
        var dry = run(command, "--redis", redis.uri(), "--dry-run");
        assertThat(dry.out())
                .contains("memory of Redis needed: up to ")
                .contains("free: no maxmemory is set")
                .contains("nothing was written");
        assertThat(Path.of(lists)).doesNotExist();

        assertThat(run(command, "--redis", redis.uri()).code()).isZero();
        assertThat(CommandResult.run("resume", lists).code()).isEqualTo(2);
        assertThat(run(command).err())
                .contains(lists + " contains an import to the fleet orbweaver; choose another");
        try (var fleet = Fleet.open(FleetSettings.of(redis.uri(), "orbweaver", "visitor"))) {
            var job = Integer.toString(fleet.jobs().getFirst().id().number());
            assertThat(CommandResult.run("fleet", "stop", job, "--redis", redis.uri()).code())
                    .isZero();
            assertThat(CommandResult.run("fleet", "delete", job, "--redis", redis.uri()).code())
                    .isZero();
        }
        assertThat(run(command, "--redis", redis.uri()).err())
                .contains("does not have the job of the import in " + lists + " any more");
    }

    @Test
    void countsThatDifferAreReported() throws Exception {
        var job = Files.createDirectories(directory.resolve("job"));
        var log = job.resolve("crawl.log");
        var lines = new StringBuilder();
        for (var i = 1; i <= 12_000; i++) {
            lines.append(visitedLine("visited/" + i));
        }
        var compressed = compressed(lines.toString());
        // The first run fails after its first checkpoint.
        Files.write(log, Arrays.copyOf(compressed, compressed.length - 100));
        var command =
                new String[] {
                    "import",
                    "heritrix",
                    job.toString(),
                    "--redis",
                    redis.uri(),
                    "--out",
                    directory.resolve("lists").toString()
                };
        assertThat(run(command).code()).isEqualTo(4);
        Files.write(log, compressed(visitedLine("visited/1")));
        var result = run(command);
        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err())
                .contains("visited-log-1 has 1 rows, but 10,000 were imported: it was changed");
    }

    private String visitedLine(String path) {
        return "2026-01-01T00:00:00.000Z 200 10 %s%s - - text/html\n".formatted(site, path);
    }

    private static byte[] compressed(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }

    private static CommandResult run(String[] command, String... more) throws Exception {
        var all = new ArrayList<>(List.of(command));
        all.addAll(List.of(more));
        return CommandResult.run(all.toArray(String[]::new));
    }

    @Test
    void anImportThatIsNotContinuedIsDeletedLikeAnotherJob() throws Exception {
        var arguments = arguments();
        try (var fleet = Fleet.open(FleetSettings.of(redis.uri(), "orbweaver", "visitor"))) {
            killWhen(
                    arguments,
                    "visited URLs are loaded",
                    () ->
                            fleet.ledgers(Instant.now()).values().stream()
                                    .anyMatch(ledger -> ledger.done() > 0));
            var job = fleet.jobs().getFirst().id();
            var number = Integer.toString(job.number());
            assertThat(CommandResult.run("fleet", "resume", number, "--redis", redis.uri()).err())
                    .contains("job " + number + " is importing, so 'resume' is not possible");
            assertThat(CommandResult.run("fleet", "delete", number, "--redis", redis.uri()).code())
                    .isZero();
            assertThat(fleet.jobs()).isEmpty();
            assertThat(fleet.ledger(job, Instant.now()).accepted()).isZero();
        }
        var again = CommandResult.run(arguments.toArray(String[]::new));
        assertThat(again.code()).isEqualTo(4);
        assertThat(again.err()).contains("does not have the job of the import").hasLineCount(1);
    }
}
