package dev.orbweaver.fleet.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Three masters on loopback that share the slots. */
final class RedisCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;
    private static final int FORM_SECONDS = 60;

    final List<RedisProcess> nodes = new ArrayList<>();

    private final Duration missed;

    private RedisCluster(Duration missed) {
        this.missed = missed;
    }

    static RedisCluster start(Path directory) throws IOException {
        return start(directory, Duration.ofSeconds(15));
    }

    /**
     * Starts a cluster.
     *
     * @param missed after how long a node counts as dead
     */
    static RedisCluster start(Path directory, Duration missed) throws IOException {
        var cluster = new RedisCluster(missed);
        try {
            for (var i = 0; i < MASTERS; i++) {
                cluster.nodes.add(cluster.node(directory.resolve("node" + i)));
            }
            cluster.form();
            return cluster;
        } catch (IOException e) {
            cluster.close();
            throw e;
        }
    }

    private RedisProcess node(Path directory) throws IOException {
        return RedisProcess.start(
                directory,
                "--cluster-enabled",
                "yes",
                "--cluster-config-file",
                "nodes.conf",
                "--cluster-node-timeout",
                Long.toString(missed.toMillis()));
    }

    /** Adds a replica of a master, and waits until it is one. */
    RedisProcess replicaOf(RedisProcess master, Path directory) throws IOException {
        var replica = node(directory);
        nodes.add(replica);
        expectOk(replica.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(master.port)));
        var id = master.command("CLUSTER", "MYID").split("\r\n", -1)[1];
        while (!replica.command("CLUSTER", "REPLICATE", id).startsWith("+OK")) {
            RedisProcess.pause(50); // It does not know that node yet.
        }
        while (!replica.command("INFO", "replication").contains("master_link_status:up")) {
            RedisProcess.pause(50);
        }
        return replica;
    }

    private void form() throws IOException {
        var first = nodes.getFirst();
        for (var i = 0; i < MASTERS; i++) {
            var words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            for (var slot = SLOTS * i / MASTERS; slot < SLOTS * (i + 1) / MASTERS; slot++) {
                words.add(Integer.toString(slot));
            }
            expectOk(nodes.get(i).command(words.toArray(String[]::new)));
            expectOk(nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1)));
        }
        for (var node : nodes.subList(1, MASTERS)) {
            expectOk(first.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(node.port)));
        }
        for (var i = 0; i < FORM_SECONDS * 20; i++) {
            if (formed()) {
                return;
            }
            RedisProcess.pause(50);
        }
        throw new IOException("no cluster within " + FORM_SECONDS + " s");
    }

    private boolean formed() throws IOException {
        for (var node : nodes) {
            var info = node.command("CLUSTER", "INFO");
            if (!info.contains("cluster_state:ok")
                    || !info.contains("cluster_slots_ok:" + SLOTS)
                    || !info.contains("cluster_known_nodes:" + MASTERS)) {
                return false;
            }
        }
        return true;
    }

    private static void expectOk(String answer) throws IOException {
        if (!answer.startsWith("+OK")) {
            throw new IOException("a node of the cluster says " + answer);
        }
    }

    @Override
    public void close() {
        nodes.forEach(RedisProcess::close);
    }
}
