package dev.orbweaver.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a process that runs the program, or another main class, with the class path
 * of the tests. The process starts quickly: it does without the second compiler and, in the tests
 * that follow packaging, maps the classes of a crawl from an archive, which halves the CPU time of
 * a short crawl. The first test that starts a process creates the archive.
 */
public final class ProgramJvm {

    private static final String MAIN = "dev.orbweaver.cli.Main";

    /** The jar of the program. Empty before packaging, when it may be older than the classes. */
    private static final String JAR = System.getProperty("orbweaver.program", "");

    private ProgramJvm() {}

    /** Returns a command that runs the program; its arguments are to be added. */
    public static List<String> program(String... options) {
        return command(MAIN, options);
    }

    /** Returns a command that runs a main class of program or tests, with options of the JVM. */
    public static List<String> command(String main, String... options) {
        var command = java(options);
        var classPath = System.getProperty("java.class.path");
        if (hasArchive()) {
            command.add("-XX:SharedArchiveFile=" + archive());
            command.add("-Xlog:disable"); // What cannot be mapped is loaded as usual.
            classPath = JAR + ":" + classPath;
        }
        command.addAll(List.of("-cp", classPath, main));
        return command;
    }

    private static List<String> java(String... options) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of(options));
        return command;
    }

    private static Path archive() {
        return Path.of(JAR.replaceFirst("\\.jar$", ".jsa"));
    }

    /** Whether there is an archive; creates it, unless another JVM is just doing that. */
    private static synchronized boolean hasArchive() {
        if (JAR.isEmpty()) {
            return false;
        }
        try {
            if (isCurrent()) {
                return true;
            }
            var lockFile = archive().resolveSibling("jsa.lock");
            try (var channel =
                            FileChannel.open(
                                    lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var lock = channel.tryLock()) {
                if (lock != null && !isCurrent()) {
                    create();
                }
                return lock != null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isCurrent() throws IOException {
        return Files.exists(archive())
                && Files.getLastModifiedTime(archive())
                                .compareTo(Files.getLastModifiedTime(Path.of(JAR)))
                        >= 0;
    }

    /** Archives the classes that the crawl of a page has loaded. */
    private static void create() throws IOException {
        var directory = Files.createTempDirectory(archive().getParent(), "archive");
        var made = directory.resolve("made.jsa");
        var output = directory.resolve("output.txt");
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    var page = "<title>A page</title><main><p>with <a href=/a>a link</a>";
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, 0);
                    exchange.getResponseBody().write(page.getBytes(UTF_8));
                    exchange.close();
                });
        server.start();
        try {
            var site = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            var command = java("-XX:ArchiveClassesAtExit=" + made, "-Xlog:disable");
            command.addAll(List.of("-cp", JAR, MAIN, "crawl", site, "--delay", "0", "--quiet"));
            command.addAll(List.of("--out", directory.resolve("crawl").toString()));
            var process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            if (process.waitFor() != 0 || !Files.exists(made)) {
                throw new IOException("no archive: " + Files.readString(output));
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            server.stop(0);
        }
        Files.move(made, archive(), StandardCopyOption.REPLACE_EXISTING);
    }
}
