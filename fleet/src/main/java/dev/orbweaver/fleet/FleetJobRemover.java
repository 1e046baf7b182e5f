package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.internal.jobs.Jobs.JobListener;
import dev.orbweaver.model.JobId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Deletes jobs from the fleet and from this worker's directory, on its own thread. The directories
 * of other workers are kept.
 */
final class FleetJobRemover implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FleetJobRemover.class);

    private final Fleet fleet;
    private final FleetWorker worker;
    private final FleetJobRecords records;
    private final JobListener listener;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final ExecutorService executor =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("fleet job remover").factory());

    FleetJobRemover(
            Fleet fleet, FleetWorker worker, FleetJobRecords records, JobListener listener) {
        this.fleet = fleet;
        this.worker = worker;
        this.records = records;
        this.listener = listener;
    }

    /**
     * Deletes the jobs that are recorded as deleted; those that are still running, at a later call.
     */
    void schedule() {
        if (!records.toBeDeleted().isEmpty() && scheduled.compareAndSet(false, true)) {
            executor.execute(
                    () -> {
                        records.toBeDeleted().forEach(this::remove);
                        scheduled.set(false);
                    });
        }
    }

    private void remove(JobId id) {
        if (!worker.abandon(id)) {
            return;
        }
        try {
            if (fleet.job(id).isPresent()) {
                var _ = fleet.stop(id);
                fleet.rejectUpdates(id);
                worker.frontier().deleteJob(id, worker.clock().instant()).requireStored();
                var _ = fleet.delete(id);
            }
            listener.deleted(id); // First, because it closes the job's files.
            records.delete(id);
        } catch (IOException | RuntimeException e) {
            LOG.warn("could not delete job {}, retrying", id.number(), e);
        }
    }

    @Override
    public void close() {
        executor.close();
    }
}
