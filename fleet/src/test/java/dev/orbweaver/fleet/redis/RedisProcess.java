package dev.orbweaver.fleet.redis;

import redis.embedded.core.ExecutableProvider;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real Redis on loopback: the one on the PATH, or else the one that comes with the tests. */
public final class RedisProcess implements AutoCloseable {

    private static final int START_SECONDS = 60;
    private static final int BUS = 10_000;
    private static final int PORTS_END = 65_536;

    /** Returns the port on which it listens. */
    public final int port;

    private final Path directory;
    private final List<String> options;
    private Process process;

    private final File program;

    private RedisProcess(Path directory, int port, File program, List<String> options)
            throws IOException {
        this.program = program;
        this.directory = directory;
        this.port = port;
        this.options = options;
        this.process = launch();
    }

    /** Starts a server on a free port. */
    public static RedisProcess start(Path directory, String... options) throws IOException {
        return new RedisProcess(directory, freePort(), program(), List.of(options));
    }

    /** Starts the server that comes with the tests, regardless of the PATH. */
    static RedisProcess startBundled(Path directory) throws IOException {
        return new RedisProcess(directory, freePort(), Bundled.PROGRAM, List.of());
    }

    /** Starts a Sentinel by its configuration, which it rewrites. */
    static RedisProcess startSentinel(Path directory, Path configuration) throws IOException {
        return new RedisProcess(
                directory, freePort(), program(), List.of(configuration.toString(), "--sentinel"));
    }

    static RedisProcess startAt(int port, Path directory, String... options) throws IOException {
        return new RedisProcess(directory, port, program(), List.of(options));
    }

    /**
     * Returns a port that is free, and so is the one ten thousand above it, which cluster nodes
     * use.
     */
    static int freePort() throws IOException {
        while (true) {
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                var port = socket.getLocalPort();
                if (port < PORTS_END - BUS && free(port + BUS)) {
                    return port;
                }
            }
        }
    }

    private static boolean free(int port) {
        try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static File program() throws IOException {
        for (var entry : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            var candidate = new File(entry, "redis-server");
            if (candidate.canExecute()) {
                return candidate;
            }
        }
        return Bundled.PROGRAM;
    }

    /** Unpacked once for all tests. */
    private static final class Bundled {
        private static final File PROGRAM = unpack();

        private static File unpack() {
            try {
                return ExecutableProvider.newJarResourceProvider().get();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Process launch() throws IOException {
        Files.createDirectories(directory);
        var command = new ArrayList<String>();
        command.add(program.getPath());
        var file = options.stream().limit(1).filter(option -> !option.startsWith("--")).toList();
        command.addAll(file); // A configuration must come first.
        command.addAll(
                List.of(
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--dir",
                        directory.toString(),
                        "--logfile",
                        "redis.log"));
        if (file.isEmpty()) {
            command.addAll(List.of("--save", ""));
        }
        command.addAll(options.subList(file.size(), options.size()));
        var started =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("redis.out").toFile())
                        .start();
        process = started;
        for (var i = 0; i < START_SECONDS * 50; i++) {
            if (isReady()) {
                return started;
            }
            if (!started.isAlive()) {
                break;
            }
            pause(20);
        }
        started.destroyForcibly();
        throw new IOException(
                "no Redis within "
                        + START_SECONDS
                        + " s: "
                        + Files.readString(directory.resolve("redis.out")));
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether it responds and has read its files. */
    private boolean isReady() {
        try {
            var answer = command("PING");
            return answer.contains("PONG") || answer.contains("NOAUTH");
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends one command over a raw connection, and returns the start of the reply. */
    public String command(String... words) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            var text = new StringBuilder("*" + words.length + "\r\n");
            for (var word : words) {
                text.append("$").append(word.length()).append("\r\n").append(word).append("\r\n");
            }
            socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            var buffer = new byte[65_536];
            var read = socket.getInputStream().read(buffer);
            return new String(buffer, 0, Math.max(0, read), StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns its directory. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Kills it, as a power failure would. */
    public void kill() throws IOException {
        process.destroyForcibly();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IOException("Redis does not die");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns the length of its file; only with {@code appendonly yes} and {@code appendfsync
     * always}.
     */
    long logBytes() throws IOException {
        return Files.size(log());
    }

    /** Kills it and restarts it without the commands after this length of its file. */
    void truncateLog(long written) throws IOException {
        kill();
        try (var file = FileChannel.open(log(), StandardOpenOption.WRITE)) {
            file.truncate(written);
        }
        restart();
    }

    /** Redis 7 has a directory of them, and appends to the one with this name. */
    private Path log() throws IOException {
        var old = directory.resolve("appendonly.aof");
        if (Files.exists(old)) {
            return old;
        }
        try (var files = Files.list(directory.resolve("appendonlydir"))) {
            return files.filter(file -> file.toString().endsWith(".incr.aof"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Restarts it with its existing files. */
    public void restart() throws IOException {
        process = launch();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
