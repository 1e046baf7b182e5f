package dev.orbweaver.server;

import dev.orbweaver.internal.archive.CrawlPages.ReadListener;
import dev.orbweaver.internal.jobs.FailureText;
import dev.orbweaver.model.JobId;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Exports that are made in the background. Their files are kept for a day, or until there are too
 * many, or until the service is restarted.
 */
final class ExportTasks implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExportTasks.class);
    private static final int CONCURRENCY = 2;
    static final int UNFINISHED_MAX = 20;
    static final int UNFINISHED_PER_CALLER = 10;
    static final int FINISHED_MAX = 50;
    static final Duration END_TIMEOUT = Duration.ofSeconds(10);
    static final Duration KEPT_FOR = Duration.ofDays(1);

    private enum State {
        QUEUED,
        RUNNING,
        READY,
        FAILED
    }

    /** Writes an export below a directory, and returns its file. */
    interface Writer {
        Path write(Path scratch, ReadListener listener) throws Exception;
    }

    /**
     * An export to be made.
     *
     * @param reads how many lines it will read, about
     * @param scratch an own directory, which is deleted with the task
     */
    record Export(
            JobId job, String format, String fileName, long reads, Path scratch, Writer writer) {}

    /**
     * @param progress from 0 to 1
     * @param bytes size of the file; empty until it is ready
     * @param problem why it failed
     */
    record TaskJson(
            int id,
            JobId job,
            String format,
            String file,
            String state,
            double progress,
            Optional<Long> bytes,
            Instant created,
            Optional<Instant> ended,
            Optional<String> problem) {}

    private static final class Task {
        private final int id;
        private final String caller;
        private final Export export;
        private final Instant created;
        private final AtomicLong reads = new AtomicLong();
        private volatile boolean cancelled;
        private State state = State.QUEUED;
        private @Nullable Path file;
        private long bytes;
        private @Nullable Instant ended;
        private String problem = "";
        private int readers;
        private @Nullable Thread thread;

        private Task(int id, String caller, Export export, Instant created) {
            this.created = created;
            this.id = id;
            this.caller = caller;
            this.export = export;
        }

        private boolean isFinished() {
            return state == State.READY || state == State.FAILED;
        }

        /** Counts a line, and ends a cancelled export. */
        private void onLine() throws IOException {
            reads.incrementAndGet();
            if (cancelled) {
                throw new IOException("the export was cancelled");
            }
        }
    }

    private final Map<Integer, Task> tasks = new LinkedHashMap<>();
    private final Semaphore permits = new Semaphore(CONCURRENCY, true);
    private final InstantSource clock;
    private final Duration endTimeout;
    private int lastId;
    private boolean closed;

    /**
     * @param endTimeout how long a cancelled export is awaited
     */
    ExportTasks(InstantSource clock, Duration endTimeout) {
        this.clock = clock;
        this.endTimeout = endTimeout;
    }

    /** Starts a task as soon as fewer than {@link #CONCURRENCY} others run. */
    TaskJson start(String caller, Export export) {
        Task task;
        try {
            task = add(caller, export);
        } catch (ProblemException e) {
            ExportsApi.delete(export.scratch);
            throw e;
        }
        synchronized (this) {
            task.thread = Thread.ofVirtual().name("export").start(() -> run(task));
        }
        return json(task);
    }

    private synchronized Task add(String caller, Export export) {
        var unfinished = tasks.values().stream().filter(task -> !task.isFinished()).toList();
        var own = unfinished.stream().filter(task -> task.caller.equals(caller)).count();
        if (closed || unfinished.size() >= UNFINISHED_MAX || own >= UNFINISHED_PER_CALLER) {
            throw ProblemException.of(
                    ProblemException.TOO_MANY_REQUESTS,
                    "The limit of exports in the background, in total or for this caller, is"
                            + " reached; retry later.");
        }
        var task = new Task(++lastId, caller, export, clock.instant());
        tasks.put(task.id, task);
        return task;
    }

    private void run(Task task) {
        try {
            permits.acquire();
            try {
                write(task);
            } finally {
                permits.release();
            }
        } catch (Exception e) {
            fail(task, e);
        }
        if (isAbandoned(task)) {
            deleteFiles(task);
        }
    }

    /** Whether a task was cancelled; the canceller may no longer wait for its end. */
    private synchronized boolean isAbandoned(Task task) {
        return task.cancelled && task.readers == 0;
    }

    private void write(Task task) throws Exception {
        synchronized (this) {
            task.state = State.RUNNING;
        }
        var file = task.export.writer.write(task.export.scratch, task::onLine);
        var bytes = Files.size(file);
        synchronized (this) {
            task.file = file;
            task.bytes = bytes;
            task.ended = clock.instant();
            task.state = State.READY;
        }
    }

    private void fail(Task task, Exception e) {
        if (!task.cancelled) {
            LOG.warn("an export of job {} failed", task.export.job.number(), e);
        }
        synchronized (this) {
            task.problem = "The export failed: " + FailureText.of(e) + ".";
            task.ended = clock.instant();
            task.state = State.FAILED;
        }
        ExportsApi.delete(task.export.scratch);
    }

    /** Removes the tasks that ended too long ago, and the oldest if there are too many. */
    void removeOld() {
        var removed = new ArrayList<Task>();
        synchronized (this) {
            var finished =
                    tasks.values().stream()
                            .filter(task -> task.isFinished() && task.readers == 0)
                            .toList();
            var tooMany = finished.size() - FINISHED_MAX;
            var oldest = clock.instant().minus(KEPT_FOR);
            for (var i = 0; i < finished.size(); i++) {
                if (i < tooMany || finished.get(i).created.isBefore(oldest)) {
                    tasks.remove(finished.get(i).id);
                    removed.add(finished.get(i));
                }
            }
        }
        removed.forEach(ExportTasks::deleteFiles);
    }

    private static void deleteFiles(Task task) {
        if (Files.exists(task.export.scratch)) {
            ExportsApi.delete(task.export.scratch);
        }
    }

    synchronized List<TaskJson> of(JobId job) {
        return tasks.values().stream()
                .filter(task -> task.export.job.equals(job))
                .map(this::json)
                .toList();
    }

    synchronized TaskJson get(JobId job, int id) {
        return json(require(job, id));
    }

    private Task require(JobId job, int id) {
        var task = tasks.get(id);
        if (task == null || !task.export.job.equals(job)) {
            throw ProblemException.of(
                    ProblemException.NOT_FOUND,
                    "Job %d has no export %d.".formatted(job.number(), id));
        }
        return task;
    }

    private synchronized TaskJson json(Task task) {
        var ready = task.state == State.READY;
        var share = task.export.reads == 0 ? 0 : task.reads.doubleValue() / task.export.reads;
        return new TaskJson(
                task.id,
                task.export.job,
                task.export.format,
                task.export.fileName,
                task.state.name().toLowerCase(Locale.ROOT),
                ready ? 1 : Math.min(0.99, Math.round(1000 * share) / 1000.0),
                ready ? Optional.of(task.bytes) : Optional.empty(),
                task.created,
                Optional.ofNullable(task.ended),
                Optional.of(task.problem).filter(text -> !text.isEmpty()));
    }

    /** The file of a task, which is not deleted before this is closed. */
    record ReadyFile(Path file, String name, Runnable release) implements AutoCloseable {
        @Override
        public void close() {
            release.run();
        }
    }

    synchronized ReadyFile open(JobId job, int id) {
        var task = require(job, id);
        var file = task.file;
        if (file == null) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    task.state == State.FAILED
                            ? task.problem
                            : "Export %d is not ready; its progress is %.0f %%."
                                    .formatted(id, 100 * json(task).progress()));
        }
        task.readers++;
        return new ReadyFile(file, task.export.fileName, () -> release(task));
    }

    private void release(Task task) {
        boolean isDeleted;
        synchronized (this) {
            task.readers--;
            isDeleted = task.readers == 0 && !tasks.containsKey(task.id);
        }
        if (isDeleted) {
            deleteFiles(task);
        }
    }

    /** Ends a task, and deletes its file once no client reads it. */
    void delete(JobId job, int id) {
        Task task;
        synchronized (this) {
            task = require(job, id);
            tasks.remove(id);
        }
        end(task);
    }

    private void end(Task task) {
        task.cancelled = true;
        Thread thread;
        boolean unused;
        synchronized (this) {
            thread = task.thread;
            unused = task.readers == 0;
        }
        if (thread != null && !hasEnded(thread)) {
            return; // It deletes its files when it ends.
        }
        if (unused) {
            deleteFiles(task);
        }
    }

    private boolean hasEnded(Thread thread) {
        thread.interrupt(); // It may be waiting for its turn.
        try {
            return thread.join(endTimeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void deleteAll(JobId job) {
        List<Task> ended;
        synchronized (this) {
            ended = tasks.values().stream().filter(task -> task.export.job.equals(job)).toList();
            ended.forEach(task -> tasks.remove(task.id));
        }
        ended.forEach(this::end);
    }

    @Override
    public void close() {
        List<Task> ended;
        synchronized (this) {
            closed = true;
            ended = List.copyOf(tasks.values());
            tasks.clear();
        }
        ended.forEach(task -> task.cancelled = true);
        ended.forEach(this::end);
    }
}
