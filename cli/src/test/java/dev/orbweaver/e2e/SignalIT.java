package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Signals as people and service managers send them. */
@Timeout(120)
class SignalIT {

    private final AtomicInteger pages = new AtomicInteger();
    private HttpServer server;

    @TempDir Path directory;

    @BeforeEach
    void serveTenPages() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    var path = exchange.getRequestURI().getPath();
                    var found = path.matches("/\\d?");
                    pages.addAndGet(found ? 1 : 0);
                    var html = "<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a>";
                    var body = html.getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.sendResponseHeaders(found ? 200 : 404, found ? body.length : -1);
                    try (exchange) {
                        if (found) {
                            exchange.getResponseBody().write(body);
                        }
                    }
                });
        server.start();
    }

    @AfterEach
    void stopServing() {
        server.stop(0);
    }

    private String site() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    private int signalled(String signal) throws Exception {
        var command = new ArrayList<>(Pty.DEFAULT_SIGNALS);
        command.add(ProgramResult.ROOT.resolve("orbweaver").toString());
        command.addAll(List.of("crawl", site(), "--out", "out", "--delay", "1s"));
        var process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("said.txt").toFile())
                        .start();
        while (pages.get() < 2) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        var kill = List.of("kill", "-" + signal, Long.toString(process.pid()));
        assertThat(ProgramResult.run(directory, kill).exit()).isZero();
        return process.waitFor();
    }

    @Test
    void anInterruptExitsWith130AndResumeCompletes() throws Exception {
        assertThat(signalled("INT")).isEqualTo(130);
        assertThat(Files.readString(directory.resolve("said.txt")))
                .contains("Interrupted", "resume");
        var resumed = ProgramResult.launcher(directory, "resume", "out", "--set", "delay=0");
        assertThat(resumed.exit()).as(resumed.output()).isZero();
        assertThat(resumed.output()).contains("5 pages");
        assertThat(pages.get()).isEqualTo(5);
    }

    @Test
    void aTerminationActsAsTheFirstInterrupt() throws Exception {
        assertThat(signalled("TERM")).isEqualTo(130);
        assertThat(directory.resolve("out/summary.json")).content().contains("stopped");
    }
}
