package dev.orbweaver.sinks.s3;

import dev.orbweaver.testing.ProjectFiles;

import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * S3Proxy on loopback, in a separate process, with its objects in a directory. The build provides
 * its jar.
 */
public final class S3Server implements AutoCloseable {

    /** What it is called with. */
    public static final Map<String, String> CREDENTIALS =
            Map.of("AWS_ACCESS_KEY_ID", "test-id", "AWS_SECRET_ACCESS_KEY", "test-secret-word");

    private static final Path JAR =
            Path.of(
                    System.getProperty("orbweaver.root", ProjectFiles.ROOT.toString()),
                    "target/servers/s3proxy-jar-with-dependencies.jar");
    private static final String BUCKET = "bucket";
    private static final int STARTS_MAX = 5;
    private static final int WAITS_MAX = 1_200;

    private final Process process;
    private final int port;

    private S3Server(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts it; another process may take the port in between, so this is retried. */
    public static S3Server start(Path directory) throws Exception {
        System.setProperty("aws.accessKeyId", CREDENTIALS.get("AWS_ACCESS_KEY_ID"));
        System.setProperty("aws.secretAccessKey", CREDENTIALS.get("AWS_SECRET_ACCESS_KEY"));
        for (var left = STARTS_MAX; ; left--) {
            var server = tryToStart(directory);
            if (server.isPresent()) {
                return server.get();
            }
            if (left == 0) {
                throw new AssertionError(Files.readString(directory.resolve("s3proxy.out")));
            }
        }
    }

    private static Optional<S3Server> tryToStart(Path directory) throws Exception {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.createDirectories(directory.resolve("objects").resolve(BUCKET));
        Files.writeString(
                directory.resolve("s3proxy.properties"),
                """
                s3proxy.authorization=aws-v2-or-v4
                s3proxy.identity=%s
                s3proxy.credential=%s
                s3proxy.endpoint=http://127.0.0.1:%d
                jclouds.provider=filesystem-nio2
                jclouds.filesystem.basedir=%s
                """
                        .formatted(
                                CREDENTIALS.get("AWS_ACCESS_KEY_ID"),
                                CREDENTIALS.get("AWS_SECRET_ACCESS_KEY"),
                                port,
                                directory.resolve("objects").toAbsolutePath()));
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-XX:TieredStopAtLevel=1",
                                "-jar",
                                JAR.toString(),
                                "--properties",
                                directory.resolve("s3proxy.properties").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("s3proxy.out").toFile())
                        .start();
        for (var waits = 0; waits < WAITS_MAX; waits++) {
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
            try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return Optional.of(new S3Server(process, port));
            } catch (IOException notYet) {
                // It is still starting.
            }
        }
        process.destroyForcibly();
        throw new AssertionError("S3Proxy does not start");
    }

    /** Returns the port on which it listens. */
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Returns its URL. */
    public String endpoint() {
        return endpoint(port);
    }

    /** Returns its URL through another port of this machine. */
    public static String endpoint(int port) {
        return "http://127.0.0.1:" + port;
    }

    /** Returns a client of the library itself, for operations that a sink does not have. */
    S3Client client() {
        return S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .endpointOverride(URI.create(endpoint()))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .build();
    }

    /** Returns a location in it. */
    public S3Location location(String prefix) {
        return location(prefix, port);
    }

    /** Returns a location through another port of this machine. */
    public S3Location location(String prefix, int through) {
        return new S3Location(BUCKET, prefix, Optional.of(URI.create(endpoint(through))));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        var _ = process.onExit().join();
    }
}
