package dev.orbweaver.sinks.mongo;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

import org.bson.Document;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A MongoDB server for tests: the one that {@code MONGODB_URI} names, or a {@code mongod} on the
 * path, or else mongo-java-server, which implements the same protocol. The choice is printed.
 */
public final class MongoTestServer implements AutoCloseable {

    /** It logs a warning for every index; held here, because loggers are held weakly. */
    private static final Logger NOISE = Logger.getLogger("de.bwaldvogel.mongo");

    static {
        NOISE.setLevel(Level.SEVERE);
    }

    private final String kind;
    private final InetSocketAddress address;
    private final AutoCloseable server;
    private final String database = "orbweaver_test_" + Long.toHexString(System.nanoTime());
    private final MongoClient client;

    private MongoTestServer(String kind, InetSocketAddress address, AutoCloseable server) {
        this.kind = kind;
        this.address = address;
        this.server = server;
        this.client = MongoClients.create(uri(address.getPort()));
        System.out.println("MongoDB in this test: " + kind);
    }

    /** Starts or finds a server. */
    public static MongoTestServer start() throws Exception {
        var uri = System.getenv("MONGODB_URI");
        if (uri != null && !uri.isEmpty()) {
            var host = new ConnectionString(uri).getHosts().getFirst().split(":", 2);
            var port = host.length == 2 ? Integer.parseInt(host[1]) : 27017;
            return new MongoTestServer(
                    "the server at MONGODB_URI", new InetSocketAddress(host[0], port), () -> {});
        }
        var mongod = mongod();
        return mongod.isPresent() ? process(mongod.get()) : inMemory();
    }

    /** Returns the one in this process. */
    public static MongoTestServer inMemory() {
        var server = new MongoServer(new MemoryBackend());
        return new MongoTestServer("mongo-java-server", server.bind(), server::shutdownNow);
    }

    private static Optional<Path> mongod() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, "mongod"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static MongoTestServer process(Path mongod) throws Exception {
        var data = Files.createTempDirectory("mongod");
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        var process =
                new ProcessBuilder(
                                mongod.toString(),
                                "--dbpath",
                                data.toString(),
                                "--port",
                                Integer.toString(port),
                                "--bind_ip",
                                "127.0.0.1")
                        .redirectErrorStream(true)
                        .redirectOutput(data.resolve("mongod.out").toFile())
                        .start();
        AutoCloseable stop =
                () -> {
                    process.destroy();
                    if (!process.waitFor(30, TimeUnit.SECONDS)) {
                        process.destroyForcibly();
                    }
                };
        return new MongoTestServer(
                mongod.toString(),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                stop);
    }

    /** Describes the server. */
    public String kind() {
        return kind;
    }

    /** Returns the port on which it listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Returns the URI of this test's database through a port of this machine. */
    public String uri(int port) {
        return "mongodb://127.0.0.1:" + port + "/" + database;
    }

    /** Returns the URI of this test's database. */
    public String uri() {
        return uri(address.getPort());
    }

    MongoDatabase database() {
        return client.getDatabase(database);
    }

    /** Returns all documents of a collection by their ids, as JSON. */
    public Map<String, String> all(String collection) {
        var found = new TreeMap<String, String>();
        for (var document : database().getCollection(collection).find()) {
            found.put(document.getString("_id"), document.toJson());
        }
        return found;
    }

    /** Returns the number of captures of each URL. */
    public Map<String, Long> visits() {
        var found = new TreeMap<String, Long>();
        for (var document : database().getCollection(MongoSink.METADATA).find()) {
            found.merge(document.getString("url"), 1L, Long::sum);
        }
        return found;
    }

    Document one(String collection, String field, Object value) {
        var found = database().getCollection(collection).find(new Document(field, value)).first();
        if (found == null) {
            throw new AssertionError("no document with " + field + " " + value);
        }
        return found;
    }

    @Override
    public void close() throws IOException {
        try {
            database().drop();
            client.close();
            server.close();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
