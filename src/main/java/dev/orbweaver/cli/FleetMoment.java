package dev.orbweaver.cli;

import dev.orbweaver.FleetReport.Worker;
import dev.orbweaver.frontier.redis.Fleet;
import dev.orbweaver.frontier.redis.Job;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/**
 * A fleet at one moment.
 *
 * @param memoryBytes of Redis
 */
record FleetMoment(
        Instant at,
        List<Worker> workers,
        List<Job> jobs,
        Fleet.Figures figures,
        long memoryBytes,
        boolean full) {

    /** Asks for it. */
    static FleetMoment of(Fleet fleet, Instant now) throws IOException {
        return new FleetMoment(
                now,
                fleet.workers(),
                fleet.jobs(),
                fleet.figures(now),
                fleet.memoryUsed(),
                fleet.isFull());
    }
}
