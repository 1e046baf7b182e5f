package dev.orbweaver.fleet.redis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Checks whether Redis could lose data, evict keys or be accessible to others. */
final class RedisCheck {

    private RedisCheck() {}

    /**
     * Checks that no server evicts keys when its memory is full.
     *
     * @throws IOException if one does
     */
    static void requireNoEviction(RedisConnection link) throws IOException {
        for (var info : link.serverInfos("memory")) {
            var policy = RedisConnection.field(info, "maxmemory_policy");
            var bound = RedisConnection.field(info, "maxmemory");
            if (!bound.isEmpty() && !bound.equals("0") && !policy.equals("noeviction")) {
                throw new IOException(
                        "Redis evicts keys when its memory is full (maxmemory-policy %s), so URLs would be lost: set maxmemory-policy noeviction"
                                .formatted(policy));
            }
        }
    }

    static List<String> warnings(RedisConnection link) throws IOException {
        var said = new ArrayList<String>();
        Map<String, String> config;
        try {
            config = link.execute(redis -> redis.configGet("*"));
        } catch (IOException e) {
            return List.of(
                    "Redis does not permit reading its settings ("
                            + e.getMessage()
                            + "): make sure that it writes an append-only file, evicts nothing and"
                            + " requires a password.");
        }
        if (!config.getOrDefault("appendonly", "").equals("yes")) {
            said.add(
                    "Redis writes no append-only file: when it stops, the fleet loses"
                            + " all data. Set appendonly yes.");
        } else if (config.getOrDefault("appendfsync", "").equals("no")) {
            said.add(
                    "Redis lets the operating system decide when to sync its file: data may be"
                            + " lost. Set appendfsync everysec.");
        }
        var policy = config.getOrDefault("maxmemory-policy", "noeviction");
        if (!policy.equals("noeviction")) {
            said.add(
                    String.format(
                            Locale.ROOT,
                            "Redis evicts keys when its memory is full (%s): URLs would be lost."
                                    + " Set maxmemory-policy noeviction.",
                            policy));
        }
        if (!link.isLoopback() && config.getOrDefault("requirepass", "").isEmpty()) {
            said.add(
                    "Redis accepts network connections without a password: any client can"
                            + " read and change the fleet. Set requirepass.");
        }
        return said;
    }
}
