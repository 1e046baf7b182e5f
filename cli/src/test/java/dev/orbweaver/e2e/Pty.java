package dev.orbweaver.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process on a pseudo-terminal, by script(1) of util-linux. Its bytes go through the kernel's
 * line discipline: Ctrl+C becomes a signal to the foreground process group, as under a real
 * terminal.
 */
final class Pty implements AutoCloseable {

    /**
     * A shell starts jobs in its background with SIGINT ignored, and children inherit that: without
     * this prefix the tests would depend on how the build was started.
     */
    static final List<String> DEFAULT_SIGNALS = List.of("env", "--default-signal=INT,QUIT,HUP");

    private static final int CTRL_C = 3;
    private static final int SECONDS_MAX = 60;

    private final Process process;
    private final Path screen;

    private Pty(Process process, Path screen) {
        this.process = process;
        this.screen = screen;
    }

    static Pty start(Path directory, List<String> command) throws IOException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/script")),
                "script(1) of util-linux is not installed");
        var line =
                Stream.concat(DEFAULT_SIGNALS.stream(), command.stream())
                        .map(word -> "'" + word + "'")
                        .collect(Collectors.joining(" "));
        var screen = Files.createTempFile(directory, "screen", ".txt");
        var builder =
                new ProcessBuilder(
                                "/usr/bin/script",
                                "-qec",
                                "stty cols 100; exec " + line,
                                "/dev/null")
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(screen.toFile());
        builder.environment().put("TERM", "xterm");
        return new Pty(builder.start(), screen);
    }

    String screen() throws IOException {
        return new String(Files.readAllBytes(screen), StandardCharsets.UTF_8);
    }

    void awaitText(String text) throws IOException, InterruptedException {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!screen().contains(text)) {
            if (System.nanoTime() > end || !process.isAlive()) {
                throw new AssertionError("'" + text + "' is not on the screen: " + screen());
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    void pressCtrlC() throws IOException {
        process.getOutputStream().write(CTRL_C);
        process.getOutputStream().flush();
    }

    int awaitExit() throws IOException, InterruptedException {
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError("still running: " + screen());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
