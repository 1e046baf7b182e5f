package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A site of a real nginx with TLS and HTTP/2; skipped where there is no nginx. */
@Slow
@Timeout(120)
class NginxHttp2Test {

    private static final int PAGES = 200;

    /** Connections end after this many requests, so that GOAWAY frames arrive. */
    private static final int REQUESTS_OF_A_CONNECTION = 50;

    @TempDir Path directory;

    private static boolean hasNginx() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "nginx")));
    }

    @Test
    void aSiteIsCrawledCompletelyWithTheSamePagesAsOverHttp11() throws Exception {
        assumeTrue(hasNginx(), "nginx is not on the PATH");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        writeSite();
        SelfSigned.writePem(directory);
        var port = freePort();
        Files.writeString(directory.resolve("nginx.conf"), configuration(port));
        var nginx =
                new ProcessBuilder("nginx", "-c", directory.resolve("nginx.conf").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("nginx.out").toFile())
                        .start();
        try {
            Eventually.until("nginx accepts connections", () -> accepts(port));
            var seed = "https://127.0.0.1:" + port + "/";
            var one = Http2Crawls.crawl(directory.resolve("1"), seed, false, Duration.ZERO);
            var two = Http2Crawls.crawl(directory.resolve("2"), seed, true, Duration.ZERO);
            assertThat(one).hasSize(PAGES);
            assertThat(two).isEqualTo(one);
        } finally {
            nginx.destroy();
            nginx.onExit().join();
        }
        assertThat(Http2Crawls.checkedResponses(directory.resolve("2"), List.of("h2")))
                .isGreaterThanOrEqualTo(PAGES);
        assertThat(
                        Files.readString(directory.resolve("access.log"))
                                .lines()
                                .filter("HTTP/2.0"::equals))
                .hasSizeGreaterThanOrEqualTo(PAGES);
    }

    /** Pages of different sizes, some larger than the window of a stream. */
    private void writeSite() throws IOException {
        var random = new Random(7);
        var www = Files.createDirectories(directory.resolve("www"));
        for (var i = 0; i < PAGES; i++) {
            var page = new StringBuilder("<title>page " + i + "</title>");
            for (var next = i * 3 + 1; next <= i * 3 + 3; next++) {
                page.append("<a href=/").append(next % PAGES == 0 ? "" : next % PAGES + ".html");
                page.append(">next</a>");
            }
            var bytes = i % 50 == 0 ? 3 << 20 : random.nextInt(40 << 10);
            while (page.length() < bytes) {
                page.append("<p>").append(Long.toString(random.nextLong(), 36));
            }
            Files.writeString(www.resolve(i == 0 ? "index.html" : i + ".html"), page);
        }
    }

    private String configuration(int port) {
        return """
        %s
        daemon off;
        worker_processes 1;
        pid DIR/nginx.pid;
        error_log DIR/error.log crit;
        events { worker_connections 256; }
        http {
          types { text/html html; }
          gzip on;
          log_format version $server_protocol;
          access_log DIR/access.log version;
          keepalive_requests %d;
          client_body_temp_path DIR/a; proxy_temp_path DIR/b; fastcgi_temp_path DIR/c;
          uwsgi_temp_path DIR/d; scgi_temp_path DIR/e;
          ssl_certificate DIR/cert.pem;
          ssl_certificate_key DIR/key.pem;
          server { listen 127.0.0.1:%d ssl http2; root DIR/www; }
        }
        """
                .formatted(
                        "root".equals(System.getProperty("user.name")) ? "user root;" : "",
                        REQUESTS_OF_A_CONNECTION,
                        port)
                .replace("DIR", directory.toString());
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean accepts(int port) {
        try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }
}
