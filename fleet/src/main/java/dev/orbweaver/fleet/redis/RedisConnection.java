package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.config.InvalidArgumentException;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The connection to Redis: one server, one behind Sentinel, or a cluster.
 *
 * <p>Lettuce could reconnect itself and repeat pending commands. That is left to the callers: only
 * they know whether a call may be repeated, and the server that replies after a reconnect may have
 * lost the last second. So after any failure the connection is closed, and the next call opens a
 * new one and reads the server's run ID.
 */
final class RedisConnection implements AutoCloseable {

    record ScriptCall(Script script, String key, List<byte[]> args) {

        static ScriptCall of(KeyRequest<?> request) {
            var args = new ArrayList<byte[]>();
            ScriptCodec.encode(request, (_, value) -> args.add(value));
            return new ScriptCall(ScriptCodec.script(request), request.key(), args);
        }

        static ScriptCall of(String key, ShardRequest.Header header, ShardRequest<?> request) {
            var args = new ArrayList<byte[]>();
            ScriptCodec.encode(header, (_, value) -> args.add(value));
            ScriptCodec.encode(request, (_, value) -> args.add(value));
            return new ScriptCall(ScriptCodec.script(request), key, args);
        }
    }

    /** The result of a call: a value or a failure. */
    record Reply(@Nullable Object value, @Nullable Exception failure) {}

    private record OpenConnection(
            StatefulConnection<byte[], byte[]> connection,
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            Map<String, String> runIds) {}

    private static final Logger LOG = LoggerFactory.getLogger(RedisConnection.class);
    private static final int CLOSE_SECONDS = 2;

    /** Part of Redis's error for a command, or one within a script, when its memory is full. */
    private static final String OUT_OF_MEMORY = "OOM command not allowed";

    private final List<RedisURI> uris;
    private final Duration timeout;
    private @Nullable RedisClient single;
    private @Nullable RedisClusterClient cluster;
    private @Nullable OpenConnection openConnection;
    private long roundTrips;
    private boolean closed;

    /** Run IDs of servers that were requested to rewrite their file. */
    private final Set<String> rewrittenRuns = new HashSet<>();

    private RedisConnection(List<RedisURI> uris, Duration timeout) {
        this.uris = uris;
        this.timeout = timeout;
    }

    static RedisConnection open(String uri, Duration timeout) throws IOException {
        var link = new RedisConnection(parse(uri, timeout), timeout);
        try {
            var _ = link.ensureOpen();
            return link;
        } catch (IOException e) {
            link.close();
            throw e;
        }
    }

    private static List<RedisURI> parse(String text, Duration timeout) throws IOException {
        try {
            var parts =
                    text.startsWith("redis-sentinel:") || text.startsWith("rediss-sentinel:")
                            ? List.of(text)
                            : Arrays.asList(text.split(",(?=redis)", -1));
            var uris = new ArrayList<RedisURI>();
            for (var part : parts) {
                var uri = RedisURI.create(part);
                uri.setTimeout(timeout);
                uris.add(uri);
            }
            return List.copyOf(uris);
        } catch (IllegalArgumentException e) {
            // The original message may contain the URI, and with it a password.
            throw new InvalidArgumentException("not a Redis URI; expected redis://host:6379");
        }
    }

    synchronized long roundTrips() {
        return roundTrips;
    }

    boolean isLoopback() {
        return uris.stream()
                .flatMap(
                        uri ->
                                uri.getHost() == null
                                        ? uri.getSentinels().stream().map(RedisURI::getHost)
                                        : List.of(uri.getHost()).stream())
                .allMatch(
                        host ->
                                host.equals("localhost")
                                        || host.startsWith("127.")
                                        || host.equals("::1")
                                        || host.equals("[::1]"));
    }

    /** Returns the run ID of the server that has a key. */
    synchronized String serverRunId(byte[] key) throws IOException {
        var there = ensureOpen();
        if (!(there.connection instanceof StatefulRedisClusterConnection<byte[], byte[]> nodes)) {
            return there.runIds.getOrDefault("", "");
        }
        var node = nodes.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
        if (node == null) {
            throw new IOException(
                    "some hash slots are not served by any node of the Redis cluster");
        }
        var known = there.runIds.get(node.getNodeId());
        if (known == null) {
            known = runId(execute(nodes, node, redis -> redis.info("server")));
            there.runIds.put(node.getNodeId(), known);
        }
        return known;
    }

    /**
     * Sends all calls, then waits for all replies. Each call has a reply or a failure; after a
     * failure of the connection it is unknown which of the other calls were executed.
     */
    synchronized List<Reply> callAll(List<ScriptCall> scriptCalls) {
        var futures = new ArrayList<CompletableFuture<Object>>(scriptCalls.size());
        try {
            var commands = ensureOpen().commands;
            for (var scriptCall : scriptCalls) {
                futures.add(send(commands, scriptCall));
            }
        } catch (IOException | RedisException e) {
            while (futures.size() < scriptCalls.size()) {
                futures.add(CompletableFuture.failedFuture(e));
            }
        }
        roundTrips++;
        var replies = new ArrayList<Reply>(scriptCalls.size());
        for (var i = 0; i < scriptCalls.size(); i++) {
            replies.add(reply(scriptCalls.get(i), futures.get(i)));
        }
        return replies;
    }

    private static CompletableFuture<Object> send(
            RedisClusterAsyncCommands<byte[], byte[]> commands, ScriptCall scriptCall) {
        return commands.<Object>evalsha(
                        scriptCall.script().digest,
                        scriptCall.script().output,
                        new byte[][] {bytes(scriptCall.key())},
                        scriptCall.args().toArray(byte[][]::new))
                .toCompletableFuture();
    }

    private Reply reply(ScriptCall scriptCall, CompletableFuture<Object> future) {
        try {
            return new Reply(await(future), null);
        } catch (IOException e) {
            if (!(e.getCause() instanceof RedisNoScriptException)) {
                return new Reply(null, e);
            }
        }
        try {
            return new Reply(
                    await(
                            ensureOpen()
                                    .commands
                                    .<Object>eval(
                                            scriptCall.script().text,
                                            scriptCall.script().output,
                                            new byte[][] {bytes(scriptCall.key())},
                                            scriptCall.args().toArray(byte[][]::new))
                                    .toCompletableFuture()),
                    null);
        } catch (IOException e) {
            return new Reply(null, e);
        }
    }

    <R> R call(KeyRequest<R> request) throws IOException {
        var reply = callAll(List.of(ScriptCall.of(request))).getFirst();
        if (reply.failure() != null) {
            throw reply.failure() instanceof IOException io
                    ? io
                    : new IOException(reply.failure().getMessage(), reply.failure());
        }
        return ScriptCodec.decode(request, value(reply));
    }

    static Object value(Reply reply) {
        return reply.value() == null ? new byte[0] : reply.value();
    }

    synchronized <T> T execute(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends Future<T>> command)
            throws IOException {
        roundTrips++;
        try {
            return await(command.apply(ensureOpen().commands));
        } catch (RedisException e) {
            throw connectionFailure(e);
        }
    }

    /** Sends a command for each item, then waits for all replies. */
    synchronized <I> void executeAll(
            Collection<I> items,
            BiFunction<RedisClusterAsyncCommands<byte[], byte[]>, I, ? extends Future<?>> command)
            throws IOException {
        roundTrips++;
        try {
            var commands = ensureOpen().commands;
            var futures = new ArrayList<Future<?>>();
            for (var item : items) {
                futures.add(command.apply(commands, item));
            }
            for (var future : futures) {
                var _ = await(future);
            }
        } catch (RedisException e) {
            throw connectionFailure(e);
        }
    }

    /** Calls one node of a cluster, which may have just died. */
    private <T> T execute(
            StatefulRedisClusterConnection<byte[], byte[]> nodes,
            RedisClusterNode node,
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends Future<T>> command)
            throws IOException {
        try {
            return await(command.apply(nodes.getConnection(node.getNodeId()).async()));
        } catch (RedisException e) {
            throw connectionFailure(e);
        }
    }

    private <T> T await(Future<T> future) throws IOException {
        try {
            return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RedisNoScriptException missing
                    ? new IOException(missing.getMessage(), missing)
                    : connectionFailure(e.getCause() instanceof Exception cause ? cause : e);
        } catch (TimeoutException e) {
            throw connectionFailure(
                    new RedisUnavailableException(
                            "Redis did not respond within " + timeout.toMillis() + " ms", e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw connectionFailure(e);
        }
    }

    private IOException connectionFailure(Exception cause) {
        if (cause.getMessage() != null && cause.getMessage().contains(OUT_OF_MEMORY)) {
            // The connection is kept: other calls are waiting for their replies.
            return new RedisFullException(cause);
        }
        discard();
        if (cause instanceof RedisUnavailableException unavailable) {
            return unavailable;
        }
        if (isUnreachable(cause)) {
            return unreachable(cause, cause);
        }
        if (cause.getMessage() == null) {
            return new IOException("Redis: the connection was lost", cause);
        }
        return new IOException("Redis: " + cause.getMessage(), cause);
    }

    /** The message names Redis and omits the system call, which Netty puts before the reason. */
    private static RedisUnavailableException unreachable(Exception reason, Exception cause) {
        var message =
                String.valueOf(reason.getMessage())
                        .replaceFirst("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ", "");
        return new RedisUnavailableException("Redis is unreachable: " + message, cause);
    }

    private static String authenticationMessage(String message) {
        return message.startsWith("NOAUTH") || message.startsWith("WRONGPASS")
                ? "Redis requires a password or rejected it: use"
                        + " redis://USER:PASSWORD@HOST, with USER default if there is none"
                : "Redis rejected the connection: " + message;
    }

    /** Returns whether no server replied, or only that it is not ready yet. */
    private static boolean isUnreachable(Exception cause) {
        return cause instanceof IOException
                || cause instanceof RedisLoadingException
                || (cause instanceof RedisException
                        && !(cause instanceof RedisCommandExecutionException));
    }

    private synchronized void discard() {
        var there = openConnection;
        openConnection = null;
        if (there != null && there.connection.isOpen()) {
            var _ = there.connection.closeAsync();
        }
    }

    private synchronized OpenConnection ensureOpen() throws IOException {
        if (closed) {
            throw new IOException("the connection to Redis was closed");
        }
        if (openConnection != null && openConnection.connection.isOpen()) {
            return openConnection;
        }
        openConnection = null;
        try {
            openConnection = connect();
            return openConnection;
        } catch (RedisException e) {
            var failure = e.getCause() instanceof Exception cause ? cause : e;
            if (failure instanceof RedisException && !isUnreachable(failure)) {
                throw new IOException(
                        authenticationMessage(String.valueOf(failure.getMessage())), e);
            }
            throw unreachable(failure, e);
        }
    }

    private OpenConnection connect() throws IOException {
        if (cluster == null) {
            var client = single == null ? RedisClient.create(uris.getFirst()) : single;
            client.setOptions(ClientOptions.builder().autoReconnect(false).build());
            single = client;
            var connection = client.connect(ByteArrayCodec.INSTANCE);
            var info = await(connection.async().info());
            if (!info.contains("cluster_enabled:1")) {
                var runs = new HashMap<String, String>();
                runs.put("", runId(info));
                return new OpenConnection(connection, connection.async(), runs);
            }
            connection.close();
            cluster = RedisClusterClient.create(uris);
            // Nodes are connected to when they are first needed, so commands must be accepted
            // before.
            cluster.setOptions(
                    ClusterClientOptions.builder()
                            .autoReconnect(false)
                            .disconnectedBehavior(
                                    ClientOptions.DisconnectedBehavior.ACCEPT_COMMANDS)
                            .build());
        }
        cluster.refreshPartitions();
        var connection = cluster.connect(ByteArrayCodec.INSTANCE);
        return new OpenConnection(connection, connection.async(), new HashMap<>());
    }

    private static String runId(String info) {
        return field(info, "run_id");
    }

    /** Returns a field of a server's INFO; empty if there is none. */
    static String field(String info, String name) {
        for (var line : info.split("\r?\n", -1)) {
            if (line.startsWith(name + ":")) {
                return line.substring(name.length() + 1);
            }
        }
        return "";
    }

    /**
     * Makes a restarted server rewrite its file. If it died while writing, the file ends in half of
     * a script's changes. At the start it does not apply them, but truncates the file after them
     * instead of before, and would apply them at its next start, with everything that follows
     * (valkey-io/valkey#4342 and older).
     */
    synchronized void rewriteAof(byte[] key) {
        try {
            if (!rewrittenRuns.add(serverRunId(key))) {
                return;
            }
            var there = ensureOpen();
            if (there.connection instanceof StatefulRedisClusterConnection<byte[], byte[]> nodes) {
                var node = nodes.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
                if (node != null) {
                    var _ = execute(nodes, node, RedisClusterAsyncCommands::bgrewriteaof);
                }
            } else {
                var _ = await(there.commands.bgrewriteaof());
            }
        } catch (IOException e) {
            LOG.debug("could not request an AOF rewrite: it is running or not permitted", e);
        }
    }

    /**
     * Memory of all servers together.
     *
     * @param limit their maximum; 0 if unlimited
     */
    record Memory(long used, long limit) {

        /** Returns the used fraction; 0 without a limit. */
        double usedRatio() {
            return limit == 0 ? 0 : (double) used / limit;
        }
    }

    /**
     * @param fleetLimit the fleet's own limit, 0 for none; the lower of it and Redis's limit
     *     applies
     */
    Memory memory(long fleetLimit) throws IOException {
        var used = 0L;
        var own = 0L;
        for (var info : serverInfos("memory")) {
            used += Long.parseLong(field(info, "used_memory"));
            var limit = field(info, "maxmemory");
            own += limit.isEmpty() ? 0 : Long.parseLong(limit);
        }
        return new Memory(
                used, fleetLimit > 0 && own > 0 ? Math.min(fleetLimit, own) : fleetLimit + own);
    }

    /** Returns the INFO of every server. */
    synchronized List<String> serverInfos(String section) throws IOException {
        var there = ensureOpen();
        roundTrips++;
        if (!(there.connection instanceof StatefulRedisClusterConnection<byte[], byte[]> nodes)) {
            return List.of(await(there.commands.info(section)));
        }
        var all = new ArrayList<String>();
        for (var node : nodes.getPartitions()) {
            all.add(execute(nodes, node, redis -> redis.info(section)));
        }
        return all;
    }

    @Override
    public synchronized void close() {
        closed = true;
        openConnection = null; // Its client closes it.
        // There is no need to wait until the client's threads have ended.
        if (single != null) {
            var _ = single.shutdownAsync(0, CLOSE_SECONDS, TimeUnit.SECONDS);
        }
        if (cluster != null) {
            var _ = cluster.shutdownAsync(0, CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    static String string(byte[] text) {
        return new String(text, StandardCharsets.UTF_8);
    }
}
