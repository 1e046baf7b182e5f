package dev.orbweaver.cli;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.jobs.FleetReport.Worker;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** The state of a fleet at one time; {@code memoryBytes} is the memory of Redis. */
record FleetSample(
        Instant at,
        List<Worker> workers,
        List<FleetJob> fleetJobs,
        Fleet.FleetStats fleetStats,
        long memoryBytes,
        boolean full) {

    static FleetSample of(Fleet fleet, Instant now) throws IOException {
        return new FleetSample(
                now,
                fleet.workers(),
                fleet.jobs(),
                fleet.fleetStats(now),
                fleet.memoryUsed(),
                fleet.isFull());
    }
}
