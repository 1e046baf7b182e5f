package dev.orbweaver.cli;

import dev.orbweaver.fleet.FleetWorker;
import dev.orbweaver.model.JobId;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Prints a line for each of a worker's jobs every ten seconds. */
final class WorkerProgress implements AutoCloseable {

    private static final Duration PRINT_INTERVAL = Duration.ofSeconds(10);

    private final Terminal terminal;
    private final FleetWorker worker;
    private final Map<JobId, Long> pages = new HashMap<>();
    private final Thread thread;

    private WorkerProgress(Terminal terminal, FleetWorker worker) {
        this.terminal = terminal;
        this.worker = worker;
        this.thread = Thread.ofVirtual().name("worker progress").start(this::run);
    }

    static WorkerProgress start(Terminal terminal, FleetWorker worker) {
        return new WorkerProgress(terminal, worker);
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(PRINT_INTERVAL);
                print();
            }
        } catch (InterruptedException e) {
            return; // The worker has stopped.
        }
    }

    private void print() {
        var problem = worker.problem();
        if (problem.isPresent()) {
            terminal.printError("waiting: " + problem.get());
            return;
        }
        worker.problems()
                .forEach(
                        (job, reason) ->
                                terminal.printError(
                                        "job %d cannot run on this worker: %s"
                                                .formatted(job.number(), reason)));
        var all = worker.status();
        if (all.isEmpty()) {
            terminal.print("waiting for jobs");
        }
        all.forEach(
                (job, status) -> {
                    var ledger = status.frontier().ledger();
                    var before = pages.put(job, ledger.pages());
                    var rate =
                            before == null
                                    ? ""
                                    : ", %.1f pages/s in the whole fleet"
                                            .formatted(
                                                    (ledger.pages() - before)
                                                            / (double) PRINT_INTERVAL.toSeconds());
                    terminal.print(
                            "job %d%s: %,d pages, %,d queued, %,d failed; %d in flight on this worker%s"
                                    .formatted(
                                            job.number(),
                                            status.paused() ? " (paused)" : "",
                                            ledger.pages(),
                                            ledger.queued(),
                                            ledger.dead(),
                                            status.inFlight(),
                                            rate));
                });
        terminal.out().flush();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
