package dev.orbweaver.cli;

import dev.orbweaver.fleet.FleetWorker;
import dev.orbweaver.model.JobId;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A line about a worker's jobs, every now and then. */
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
            return; // It has left.
        }
    }

    private void print() {
        var problem = worker.problem();
        if (problem.isPresent()) {
            terminal.printError("work pauses: " + problem.get());
            return;
        }
        worker.problems()
                .forEach(
                        (job, why) ->
                                terminal.printError(
                                        "job %d cannot be worked on here: %s"
                                                .formatted(job.number(), why)));
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
                                    : ", %.1f pages/s in the fleet"
                                            .formatted(
                                                    (ledger.pages() - before)
                                                            / (double) PRINT_INTERVAL.toSeconds());
                    terminal.print(
                            "job %d%s: %,d pages, %,d waiting, %,d failed; %d under way here%s"
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
