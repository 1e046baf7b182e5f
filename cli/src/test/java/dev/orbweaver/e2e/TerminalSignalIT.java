package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.orbweaver.fleet.redis.RedisProcess;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Ctrl+C on a terminal, where JLine reads keys and must leave the signals alone. */
@Timeout(120)
class TerminalSignalIT {

    private final CountDownLatch slowRequested = new CountDownLatch(1);
    private final CountDownLatch slowReleased = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;

    @TempDir Path directory;

    /** The first page links to a slow one, which waits for the test and links to a third. */
    @BeforeEach
    void serveTwoPages() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> respond(exchange, 200, "<a href=/slow>slow</a>"));
        server.createContext("/robots.txt", exchange -> respond(exchange, 404, ""));
        server.createContext("/slow", this::respondSlowly);
        server.start();
    }

    @AfterEach
    void stopServing() {
        slowReleased.countDown();
        server.stop(0);
        threads.close();
    }

    private void respondSlowly(HttpExchange exchange) throws IOException {
        slowRequested.countDown();
        try {
            slowReleased.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        respond(exchange, 200, "<a href=/queued>queued</a>");
    }

    private static void respond(HttpExchange exchange, int status, String html) throws IOException {
        try (exchange) {
            var body = html.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/html");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private Pty orbweaver(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(ProgramResult.ROOT.resolve("orbweaver").toString()));
        command.addAll(List.of(arguments));
        return Pty.start(directory, command);
    }

    private Pty crawl(String grace) throws Exception {
        var site = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        var pty = orbweaver("crawl", site, "--out", "out", "--delay", "0", "--stop-grace", grace);
        if (!slowRequested.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the slow page was not requested: " + pty.screen());
        }
        pty.awaitText("p pause");
        return pty;
    }

    @Test
    void theFirstCtrlCLetsAPageInFlightFinishAndShowsTheSummary() throws Exception {
        try (var pty = crawl("1h")) {
            pty.pressCtrlC();
            pty.awaitText("stopping");
            slowReleased.countDown();
            assertThat(pty.awaitExit()).as(pty.screen()).isEqualTo(130);
            assertThat(pty.screen()).contains("Interrupted", "resume", "2 pages");
            assertThat(Files.readString(directory.resolve("out/pages.log"))).contains("/slow");
        }
    }

    @Test
    void theSecondCtrlCEndsACrawlWithoutWaitingForTheGracePeriod() throws Exception {
        try (var pty = crawl("1h")) {
            pty.pressCtrlC();
            pty.awaitText("stopping");
            pty.pressCtrlC();
            assertThat(pty.awaitExit()).as(pty.screen()).isEqualTo(130);
            assertThat(pty.screen()).contains("Interrupted", "1 page");
        }
    }

    @Test
    void ctrlCEndsAServiceAfterItsJobsAreSaved() throws Exception {
        try (var pty = orbweaver("serve", "--port", "0", "--data", "data")) {
            pty.awaitText("Ctrl+C stops");
            pty.pressCtrlC();
            assertThat(pty.awaitExit()).as(pty.screen()).isZero();
            assertThat(pty.screen()).contains("stopping");
        }
    }

    @Test
    void ctrlCEndsAWorkerAndTheViewOfItsFleet() throws Exception {
        try (var redis = RedisProcess.start(directory.resolve("redis"))) {
            var place = "redis://127.0.0.1:" + redis.port;
            try (var worker = orbweaver("worker", "--redis", place, "--data", "worker");
                    var fleet = orbweaver("fleet", "--redis", place)) {
                worker.awaitText("joined the fleet");
                fleet.awaitText("q quit");
                fleet.pressCtrlC();
                assertThat(fleet.awaitExit()).as(fleet.screen()).isZero();
                worker.pressCtrlC();
                assertThat(worker.awaitExit()).as(worker.screen()).isZero();
                assertThat(worker.screen()).contains("left the fleet");
            }
        }
    }
}
