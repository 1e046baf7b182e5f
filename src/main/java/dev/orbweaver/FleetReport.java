package dev.orbweaver;

import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.Worker;

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
        List<Fleet.Shard> shards,
        FrontierStats.Hosts hosts,
        Fleet.Memory memory,
        List<String> warnings) {

    /** Keeps the lists unchangeable. */
    public FleetReport {
        workers = List.copyOf(workers);
        shards = List.copyOf(shards);
        warnings = List.copyOf(warnings);
    }
}
