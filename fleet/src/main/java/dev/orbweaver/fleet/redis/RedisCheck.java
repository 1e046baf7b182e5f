package dev.orbweaver.fleet.redis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Checks whether Redis could lose data, evict keys or be open to others. */
final class RedisCheck {

    private RedisCheck() {}

    /** Fails if a server evicts keys when its memory is used up. */
    static void requireNoEviction(RedisConnection link) throws IOException {
        for (var info : link.serverInfos("memory")) {
            var policy = RedisConnection.field(info, "maxmemory_policy");
            var bound = RedisConnection.field(info, "maxmemory");
            if (!bound.isEmpty() && !bound.equals("0") && !policy.equals("noeviction")) {
                throw new IOException(
                        "Redis drops keys when its memory is used up (maxmemory-policy %s), so URLs would be lost: set maxmemory-policy noeviction"
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
                    "Redis does not tell its settings ("
                            + e.getMessage()
                            + "): make sure that it writes an append-only file, evicts nothing and"
                            + " asks for a password.");
        }
        if (!config.getOrDefault("appendonly", "").equals("yes")) {
            said.add(
                    "Redis keeps no append-only file: when it stops, the fleet has forgotten"
                            + " everything. Set appendonly yes.");
        } else if (config.getOrDefault("appendfsync", "").equals("no")) {
            said.add(
                    "Redis leaves it to the system when its file is written: much may be forgotten."
                            + " Set appendfsync everysec.");
        }
        var policy = config.getOrDefault("maxmemory-policy", "noeviction");
        if (!policy.equals("noeviction")) {
            said.add(
                    String.format(
                            Locale.ROOT,
                            "Redis throws keys away when memory is short (%s): URLs would be lost."
                                    + " Set maxmemory-policy noeviction.",
                            policy));
        }
        if (!link.isLoopback() && config.getOrDefault("requirepass", "").isEmpty()) {
            said.add(
                    "Redis is reached over the network and asks for no password: anybody there can"
                            + " read and change the fleet. Set requirepass.");
        }
        return said;
    }
}
