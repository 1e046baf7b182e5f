package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.frontier.FrontierStats;

import java.time.Instant;
import java.util.List;

/**
 * The state of a fleet.
 *
 * @param self this process's name in it
 * @param workers with a recent heartbeat
 * @param warnings problems of Redis's configuration, as sentences
 */
public record FleetReport(
        String name,
        String self,
        List<Worker> workers,
        List<Shard> shards,
        FrontierStats.Hosts hosts,
        Memory memory,
        List<String> warnings) {

    public record Worker(String name, Instant lastSeen, String activity) {}

    /**
     * A shard of the fleet's hosts.
     *
     * @param hosts ever seen
     * @param claimed of these, those that workers have claimed
     * @param queued URLs, including claimed ones
     */
    public record Shard(int number, int hosts, int claimed, long queued) {}

    /**
     * Memory of Redis, of all its servers together.
     *
     * @param maxBytes 0 for no limit
     * @param version of the server
     */
    public record Memory(long usedBytes, long maxBytes, String version) {}

    public FleetReport {
        workers = List.copyOf(workers);
        shards = List.copyOf(shards);
        warnings = List.copyOf(warnings);
    }
}
