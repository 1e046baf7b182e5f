package dev.orbweaver.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A running nginx with its configuration and logs in one directory. */
final class NginxProcess implements AutoCloseable {

    /** Milliseconds after which nginx has written every line of its log. */
    private static final long LOG_FLUSH_MILLIS = 1_500;

    private final Path directory;
    private final Process process;

    private NginxProcess(Path directory, Process process) {
        this.directory = directory;
        this.process = process;
    }

    /**
     * Starts nginx in a directory and waits until it accepts connections.
     *
     * @param logFormat format of the lines of {@link #log}
     * @param http the servers and further directives of the {@code http} section
     */
    static NginxProcess start(
            Path directory, String logFormat, String http, String address, int port)
            throws IOException, InterruptedException {
        var configuration = directory.resolve("nginx.conf");
        Files.writeString(configuration, configuration(directory, logFormat, http));
        var process =
                new ProcessBuilder(Program.find("nginx"), "-c", configuration.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("nginx.out").toFile())
                        .start();
        var nginx = new NginxProcess(directory, process);
        try {
            nginx.awaitStart(address, port);
        } catch (IOException | InterruptedException e) {
            nginx.close();
            throw e;
        }
        return nginx;
    }

    static int freePort(String address) throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            return socket.getLocalPort();
        }
    }

    private static String configuration(Path directory, String logFormat, String http) {
        var user = "root".equals(System.getProperty("user.name")) ? "user root;" : "";
        return """
        USER
        daemon off;
        worker_processes 2;
        worker_rlimit_nofile 16384;
        pid DIRECTORY/nginx.pid;
        error_log DIRECTORY/error.log crit;
        events { worker_connections 8192; multi_accept on; }
        http {
          types { text/html html htm; text/css css; text/javascript js; image/svg+xml svg; image/png png; }
          default_type application/octet-stream;
          sendfile on; tcp_nopush on; tcp_nodelay on;
          keepalive_timeout 60; keepalive_requests 1000000;
          client_body_temp_path DIRECTORY/body; proxy_temp_path DIRECTORY/proxy;
          fastcgi_temp_path DIRECTORY/fastcgi; uwsgi_temp_path DIRECTORY/uwsgi; scgi_temp_path DIRECTORY/scgi;
          log_format bench 'FORMAT';
          access_log DIRECTORY/access.log bench buffer=256k flush=1s;
          index index.html;
          HTTP
        }
        """
                .replace("USER", user)
                .replace("DIRECTORY", directory.toString())
                .replace("FORMAT", logFormat)
                .replace("HTTP", http);
    }

    private void awaitStart(String address, int port) throws IOException, InterruptedException {
        for (var i = 0; i < 100 && process.isAlive(); i++) {
            try (var _ = new Socket(address, port)) {
                return;
            } catch (IOException notYet) {
                Thread.sleep(50);
            }
        }
        throw new IOException(
                "nginx did not start: " + Files.readString(directory.resolve("nginx.out")));
    }

    /** Returns the log after all lines of ended requests are written. */
    Path log() throws InterruptedException {
        Thread.sleep(LOG_FLUSH_MILLIS);
        return directory.resolve("access.log");
    }

    double cpuSeconds() throws IOException {
        return ProcessUsage.cpuSeconds(process.toHandle());
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IOException("nginx does not stop, process " + process.pid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        CrawlProcess.delete(directory);
    }
}
