package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The pages of {@code bench/corpus} served by nginx on loopback. What a crawler has fetched is read
 * from the access log.
 *
 * <p>By default each directory of the corpus is a host, an address of its own. With many hosts, the
 * directories are served in turn under names; unless the hosts may have the same documents, nginx
 * inserts the name into each. The names are in a hosts file that only the crawler sees: it runs in
 * a mount namespace where that file is {@code /etc/hosts}.
 */
final class CorpusSite implements AutoCloseable {

    private static final int FIELDS = 7;
    private static final int ADDRESSES_MAX = 250;
    private static final String LOG_FORMAT =
            "$msec $status $request_method $sent_http_content_type $host $body_bytes_sent"
                    + " $request_filename";

    /**
     * The first successful request of a document.
     *
     * @param time seconds of the epoch
     */
    record Fetch(double time, String host, long bytes) {}

    private final NginxProcess nginx;
    private final List<String> seeds;
    private final List<String> commandPrefix;
    private long logStart;

    private CorpusSite(NginxProcess nginx, List<String> seeds, List<String> commandPrefix) {
        this.nginx = nginx;
        this.seeds = seeds;
        this.commandPrefix = commandPrefix;
    }

    /** Serves each directory of the corpus once. */
    static CorpusSite start(Path corpus) throws IOException, InterruptedException {
        var roots = roots(corpus);
        var port = NginxProcess.freePort("127.0.1.1");
        var seeds = new ArrayList<String>();
        var servers = new StringBuilder();
        for (var i = 0; i < roots.size(); i++) {
            var address = "127.0.1.%d:%d".formatted(i + 1, port);
            seeds.add("http://" + address + "/");
            servers.append("server { listen %s; root \"%s\"; }%n".formatted(address, roots.get(i)));
        }
        var directory = Files.createTempDirectory("orbweaver-nginx");
        var nginx =
                NginxProcess.start(directory, LOG_FORMAT, servers.toString(), "127.0.1.1", port);
        return new CorpusSite(nginx, seeds, List.of());
    }

    /**
     * Serves the corpus under {@code count} host names on up to 250 addresses.
     *
     * @param differ whether no two hosts have the same documents
     */
    static CorpusSite startMany(Path corpus, int count, boolean differ)
            throws IOException, InterruptedException {
        var roots = roots(corpus);
        var port = NginxProcess.freePort("127.1.0.1");
        var seeds = new ArrayList<String>();
        var map = new StringBuilder("map_hash_max_size 65536; map_hash_bucket_size 256;\n");
        map.append("map $host $documents {\n");
        var hosts = new StringBuilder("127.0.0.1 localhost\n");
        for (var i = 0; i < count; i++) {
            var name = "h%04d.test".formatted(i + 1);
            seeds.add("http://%s:%d/".formatted(name, port));
            map.append("  %s \"%s\";%n".formatted(name, roots.get(i % roots.size())));
            hosts.append("127.1.0.%d %s%n".formatted(i % ADDRESSES_MAX + 1, name));
        }
        var server = new StringBuilder("}\nserver {\n");
        for (var i = 0; i < Math.min(count, ADDRESSES_MAX); i++) {
            server.append("  listen 127.1.0.%d:%d;%n".formatted(i + 1, port));
        }
        server.append("  root $documents;\n");
        if (differ) {
            server.append(
                    "  sub_filter '</title>' '</title><meta name=\"host\" content=\"$host\">';\n");
        }
        server.append("}\n");
        var directory = Files.createTempDirectory("orbweaver-nginx");
        var file = Files.writeString(directory.resolve("hosts"), hosts);
        var nginx = NginxProcess.start(directory, LOG_FORMAT, "" + map + server, "127.1.0.1", port);
        return new CorpusSite(nginx, seeds, withHosts(file));
    }

    /** Returns a prefix that makes a command see another {@code /etc/hosts}; it keeps its id. */
    private static List<String> withHosts(Path file) throws IOException {
        var command = new ArrayList<>(List.of(Program.find("unshare"), "--mount"));
        if (!"root".equals(System.getProperty("user.name"))) {
            command.add("--map-root-user");
        }
        command.addAll(List.of("sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\""));
        command.add(file.toString());
        return command;
    }

    private static List<Path> roots(Path corpus) throws IOException {
        if (!Files.isDirectory(corpus)) {
            throw new IOException("no corpus in " + corpus + "; create it with bench/corpus");
        }
        try (var entries = Files.list(corpus)) {
            return entries.filter(Files::isDirectory).sorted().toList();
        }
    }

    /** Returns the start page of each host. */
    List<String> seeds() {
        return seeds;
    }

    /** Returns a command that finds the hosts of this site. */
    List<String> command(List<String> command) {
        var whole = new ArrayList<>(commandPrefix);
        whole.addAll(command);
        return whole;
    }

    /** Ignores the requests logged so far in {@link #fetches}. */
    void beginRun() throws IOException, InterruptedException {
        logStart = Files.size(nginx.log());
    }

    /** Returns the fetches of each distinct document since the run began, by time. */
    List<Fetch> fetches() throws IOException, InterruptedException {
        Map<String, Fetch> first = new HashMap<>();
        try (var in = Files.newBufferedReader(nginx.log(), ISO_8859_1)) {
            in.skip(logStart); // One byte is one character.
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                var fields = line.split(" ", FIELDS);
                if (fields.length == FIELDS
                        && fields[1].equals("200")
                        && fields[2].equals("GET")
                        && fields[3].startsWith("text/html")) {
                    first.putIfAbsent(
                            fields[4] + fields[6],
                            new Fetch(
                                    Double.parseDouble(fields[0]),
                                    fields[4],
                                    Long.parseLong(fields[5])));
                }
            }
        }
        return first.values().stream().sorted(Comparator.comparingDouble(Fetch::time)).toList();
    }

    @Override
    public void close() throws IOException {
        nginx.close();
    }
}
