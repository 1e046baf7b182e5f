package dev.orbweaver.internal.jobs;

import dev.orbweaver.internal.frontier.FrontierStats;

import java.time.Instant;
import java.util.List;

/**
 * A fleet as it stands.
 *
 * @param name of the fleet
 * @param self the name under which this process works in it
 * @param workers that were heard of lately
 * @param warnings what is wrong with how Redis is set up, as sentences
 */
public record FleetReport(
        String name,
        String self,
        List<Worker> workers,
        List<Shard> shards,
        FrontierStats.Hosts hosts,
        Memory memory,
        List<String> warnings) {

    /**
     * A worker of a fleet at its last heartbeat.
     *
     * @param activity in its own words
     */
    public record Worker(String name, Instant lastSeen, String activity) {}

    /**
     * One of the shards that hold the fleet's hosts.
     *
     * @param hosts ever met
     * @param claimed of these, those that workers have
     * @param queued URLs, those that workers have included
     */
    public record Shard(int number, int hosts, int claimed, long queued) {}

    /**
     * What Redis says of its memory, of all its servers together.
     *
     * @param maxBytes what it is to use at most; 0 for no limit
     * @param version of the server
     */
    public record Memory(long usedBytes, long maxBytes, String version) {}

    /** Keeps the lists unchangeable. */
    public FleetReport {
        workers = List.copyOf(workers);
        shards = List.copyOf(shards);
        warnings = List.copyOf(warnings);
    }
}
