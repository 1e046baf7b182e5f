package dev.orbweaver.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Serves one page of realistic size with nginx, over HTTP and HTTPS on loopback. */
final class PageServer implements AutoCloseable {

    private static final int PAGE_BYTES = 24 << 10;
    private static final Duration STARTS_WITHIN = Duration.ofSeconds(10);

    private final Path directory;
    private final Process nginx;
    private final Map<ConnectionMode, Integer> ports;

    enum ConnectionMode {
        /** The connection is kept alive. */
        KEPT("http"),
        /** The connection is closed. */
        ONCE("http"),
        /** The connection is closed, and every TLS handshake is a full one. */
        FULL("https"),
        /** The connection is closed, but TLS sessions may be resumed. */
        RESUMED("https"),
        /** The connection is kept alive, with HTTP/2 if the client offers it. */
        HTTP2("https");

        private final String scheme;

        ConnectionMode(String scheme) {
            this.scheme = scheme;
        }
    }

    private PageServer(Path directory, Process nginx, Map<ConnectionMode, Integer> ports) {
        this.directory = directory;
        this.nginx = nginx;
        this.ports = ports;
    }

    static PageServer start() throws Exception {
        var directory = Files.createTempDirectory("bench-fetch");
        var ports = new EnumMap<ConnectionMode, Integer>(ConnectionMode.class);
        for (var connectionMode : ConnectionMode.values()) {
            ports.put(connectionMode, freePort());
        }
        // If started by root, nginx reads the page as an unprivileged user.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(directory.resolve("www"));
        Files.createDirectories(directory.resolve("tmp"));
        Files.writeString(directory.resolve("www/page.html"), page());
        createCertificate(directory);
        Files.writeString(directory.resolve("nginx.conf"), configuration(directory, ports));
        var nginx =
                new ProcessBuilder("nginx", "-c", directory.resolve("nginx.conf").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("out").toFile())
                        .start();
        var server = new PageServer(directory, nginx, ports);
        server.awaitStart();
        return server;
    }

    private void awaitStart() throws Exception {
        var until = System.nanoTime() + STARTS_WITHIN.toNanos();
        while (System.nanoTime() < until) {
            try (var socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(),
                                ports.get(ConnectionMode.RESUMED)));
                return;
            } catch (IOException notYet) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
        throw new IOException("nginx did not start: " + Files.readString(directory.resolve("out")));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String page() {
        var page = new StringBuilder("<!DOCTYPE html><html><head><title>page</title></head><body>");
        for (var i = 0; page.length() < PAGE_BYTES - 100; i++) {
            page.append("<p>Some words and <a href=\"/page-").append(i).append("\">a link</a>.\n");
        }
        return page.append("</body></html>").toString();
    }

    /** Creates {@code cert.pem} and {@code key.pem}, which no authority has signed. */
    static void createCertificate(Path directory) throws IOException, InterruptedException {
        var made =
                new ProcessBuilder(
                                "openssl",
                                "req",
                                "-x509",
                                "-newkey",
                                "ec",
                                "-pkeyopt",
                                "ec_paramgen_curve:prime256v1",
                                "-nodes",
                                "-days",
                                "30",
                                "-subj",
                                "/CN=site.test",
                                "-keyout",
                                directory.resolve("key.pem").toString(),
                                "-out",
                                directory.resolve("cert.pem").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("openssl.out").toFile())
                        .start()
                        .waitFor();
        if (made != 0) {
            throw new IOException(Files.readString(directory.resolve("openssl.out")));
        }
    }

    private static String configuration(Path directory, Map<ConnectionMode, Integer> ports) {
        var text =
                """
                daemon off;
                worker_processes 1;
                pid DIRECTORY/nginx.pid;
                error_log DIRECTORY/error.log crit;
                events { worker_connections 4096; }
                http {
                  types { text/html html; }
                  access_log off;
                  sendfile on;
                  tcp_nopush on;
                  open_file_cache max=10;
                  keepalive_timeout 60;
                  keepalive_requests 100000000;
                  client_body_temp_path DIRECTORY/tmp/a; proxy_temp_path DIRECTORY/tmp/b; fastcgi_temp_path DIRECTORY/tmp/c;
                  uwsgi_temp_path DIRECTORY/tmp/d; scgi_temp_path DIRECTORY/tmp/e;
                  ssl_certificate DIRECTORY/cert.pem;
                  ssl_certificate_key DIRECTORY/key.pem;
                  ssl_protocols TLSv1.3;
                  root DIRECTORY/www;
                  server { listen 127.0.0.1:KEPT backlog=4096; }
                  server { listen 127.0.0.1:ONCE backlog=4096; keepalive_timeout 0; }
                  server {
                    listen 127.0.0.1:FULL ssl backlog=4096;
                    keepalive_timeout 0;
                    ssl_session_tickets off;
                    ssl_session_cache off;
                  }
                  server {
                    listen 127.0.0.1:RESUMED ssl backlog=4096;
                    keepalive_timeout 0;
                    ssl_session_tickets on;
                    add_header Reused "$ssl_session_reused.";
                  }
                  server { listen 127.0.0.1:HTTP2 ssl http2 backlog=4096; }
                }
                """
                        .replace("DIRECTORY", directory.toString());
        for (var port : ports.entrySet()) {
            text = text.replace(":" + port.getKey().name() + " ", ":" + port.getValue() + " ");
        }
        return text;
    }

    String page(ConnectionMode connectionMode, String host) {
        return connectionMode.scheme
                + "://"
                + host
                + ":"
                + ports.get(connectionMode)
                + "/page.html";
    }

    @Override
    public void close() throws IOException {
        nginx.destroy();
        nginx.onExit().join();
        CrawlProcess.delete(directory);
    }
}
