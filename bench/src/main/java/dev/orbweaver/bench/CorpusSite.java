package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The pages of {@code bench/corpus} served by nginx on loopback: each directory of the corpus is a
 * host, an address of its own. What a crawler has fetched is read from the access log.
 */
final class CorpusSite implements AutoCloseable {

    /** Milliseconds after which nginx has written every line of its log. */
    private static final long LOG_FLUSH_MILLIS = 1_500;

    private static final int FIELDS = 6;

    private final Path directory;
    private final List<String> seeds;
    private final Process nginx;
    private long logStart;

    private CorpusSite(Path directory, List<String> seeds, Process nginx) {
        this.directory = directory;
        this.seeds = seeds;
        this.nginx = nginx;
    }

    /** Starts nginx with a configuration and logs in a new directory. */
    static CorpusSite start(Path corpus) throws IOException, InterruptedException {
        var hosts = hosts(corpus);
        var directory = Files.createTempDirectory("orbweaver-nginx");
        var port = freePort();
        var seeds = new ArrayList<String>();
        var servers = new StringBuilder();
        for (var i = 0; i < hosts.size(); i++) {
            var address = "127.0.1.%d:%d".formatted(i + 1, port);
            seeds.add("http://" + address + "/");
            servers.append("server { listen %s; root \"%s\"; }%n".formatted(address, hosts.get(i)));
        }
        var configuration = directory.resolve("nginx.conf");
        Files.writeString(configuration, configuration(directory, servers.toString()));
        var nginx =
                new ProcessBuilder(Program.find("nginx"), "-c", configuration.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("nginx.out").toFile())
                        .start();
        var site = new CorpusSite(directory, seeds, nginx);
        try {
            site.awaitStart(port);
        } catch (IOException | InterruptedException e) {
            site.close();
            throw e;
        }
        return site;
    }

    private static List<Path> hosts(Path corpus) throws IOException {
        if (!Files.isDirectory(corpus)) {
            throw new IOException("no corpus in " + corpus + "; create it with bench/corpus");
        }
        try (var entries = Files.list(corpus)) {
            return entries.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.1.1"))) {
            return socket.getLocalPort();
        }
    }

    private static String configuration(Path directory, String servers) {
        var user = "root".equals(System.getProperty("user.name")) ? "user root;" : "";
        return """
        %s
        daemon off;
        worker_processes 2;
        pid nginx.pid;
        error_log error.log crit;
        events { worker_connections 4096; multi_accept on; }
        http {
          types { text/html html htm; text/css css; text/javascript js; image/svg+xml svg; image/png png; }
          default_type application/octet-stream;
          sendfile on; tcp_nopush on; tcp_nodelay on;
          keepalive_timeout 60; keepalive_requests 1000000;
          client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi; scgi_temp_path scgi;
          log_format bench '$msec $status $request_method $sent_http_content_type $server_addr $request_filename';
          access_log access.log bench buffer=256k flush=1s;
          index index.html;
          %s
        }
        """
                .formatted(user, servers)
                .replace("pid nginx.pid", "pid " + directory.resolve("nginx.pid"))
                .replace("error_log error.log", "error_log " + directory.resolve("error.log"))
                .replace("access_log access.log", "access_log " + directory.resolve("access.log"))
                .replace("_path ", "_path " + directory + "/");
    }

    private void awaitStart(int port) throws IOException, InterruptedException {
        for (var i = 0; i < 100 && nginx.isAlive(); i++) {
            try (var _ = new Socket("127.0.1.1", port)) {
                return;
            } catch (IOException notYet) {
                Thread.sleep(50);
            }
        }
        throw new IOException(
                "nginx did not start: " + Files.readString(directory.resolve("nginx.out")));
    }

    /** Returns the start page of each host. */
    List<String> seeds() {
        return seeds;
    }

    /** Ignores the requests logged so far in {@link #fetchTimes}. */
    void beginRun() throws IOException, InterruptedException {
        Thread.sleep(LOG_FLUSH_MILLIS);
        logStart = Files.size(log());
    }

    /**
     * Returns when each distinct document was first sent since the run began, in seconds of the
     * epoch and in order.
     */
    List<Double> fetchTimes() throws IOException, InterruptedException {
        Thread.sleep(LOG_FLUSH_MILLIS);
        Map<String, Double> first = new HashMap<>();
        try (var in = Files.newInputStream(log())) {
            in.skipNBytes(logStart);
            for (var line : new String(in.readAllBytes(), ISO_8859_1).split("\n")) {
                var fields = line.split(" ", FIELDS);
                if (fields.length == FIELDS
                        && fields[1].equals("200")
                        && fields[2].equals("GET")
                        && fields[3].startsWith("text/html")) {
                    first.putIfAbsent(fields[4] + fields[5], Double.valueOf(fields[0]));
                }
            }
        }
        return first.values().stream().sorted().toList();
    }

    private Path log() {
        return directory.resolve("access.log");
    }

    @Override
    public void close() throws IOException {
        nginx.destroy();
        try {
            if (!nginx.waitFor(10, TimeUnit.SECONDS)) {
                throw new IOException("nginx does not stop, process " + nginx.pid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        CrawlProcess.delete(directory);
    }
}
