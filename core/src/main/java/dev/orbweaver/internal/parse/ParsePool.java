package dev.orbweaver.internal.parse;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Runs CPU-bound work on documents on a small, fixed number of platform threads.
 *
 * <p>The threads that fetch pages and serve HTTP are virtual and share one carrier thread per
 * processor. A virtual thread that computes occupies its carrier, so a few expensive documents
 * would stop the whole process. Here callers block, which frees their carriers, and documents
 * compete only with each other. The queue is bounded; callers beyond it block before they enter it.
 *
 * <p>The parsers limit the work for a document, in steps, so that results do not depend on the
 * clock. The deadline here is for work that escapes those limits and changes no result. It logs the
 * document and starts another thread to replace the occupied one, which ends when its work does.
 * The number of threads started that way is bounded too.
 */
public final class ParsePool {

    @FunctionalInterface
    public interface ParseTask<T> {
        T run() throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(ParsePool.class);
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int QUEUED_PER_THREAD = 16;
    private static final int REPLACED_PER_THREAD = 4;

    /** Runs all work on the calling thread, as the simulation needs it. */
    public static final ParsePool INLINE = new ParsePool(0, DEADLINE);

    private static final class Shared {
        private static final ParsePool POOL =
                new ParsePool(Runtime.getRuntime().availableProcessors(), DEADLINE);
    }

    private final int size;
    private final long deadlineNanos;
    private final BlockingQueue<Task<?>> queue;
    private final List<Worker> workers = new ArrayList<>(); // Guarded by this.
    private int number;
    private volatile boolean started;

    /**
     * Creates a pool.
     *
     * @param size number of threads; 0 uses the caller's own
     * @param deadline after which work is logged and its thread replaced
     */
    ParsePool(int size, Duration deadline) {
        this.size = size;
        this.deadlineNanos = deadline.toNanos();
        this.queue = new ArrayBlockingQueue<>(Math.max(1, size * QUEUED_PER_THREAD));
    }

    public static ParsePool shared() {
        return Shared.POOL;
    }

    /**
     * Runs a task on a pool thread and waits for it, even if interrupted. A pool thread that calls
     * this runs the task itself.
     *
     * @param subject names the document in the log if the task takes too long
     */
    public <T> T run(Supplier<String> subject, ParseTask<T> parseTask) throws IOException {
        if (size == 0 || Thread.currentThread() instanceof Worker) {
            return parseTask.run();
        }
        startThreads();
        var task = new Task<>(subject, parseTask);
        var interrupted = enqueue(task);
        while (!task.done) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return task.result();
    }

    private boolean enqueue(Task<?> task) {
        var interrupted = false;
        while (true) {
            try {
                queue.put(task);
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private void startThreads() {
        if (started) {
            return;
        }
        synchronized (this) {
            if (!started) {
                started = true;
                for (var i = 0; i < size; i++) {
                    startWorker();
                }
                var _ =
                        Thread.ofPlatform()
                                .daemon()
                                .name("parse watchdog")
                                .start(this::runWatchdog);
            }
        }
    }

    private synchronized void startWorker() {
        var worker = new Worker("parser " + ++number);
        workers.add(worker);
        worker.start();
    }

    private void runWatchdog() {
        var intervalNanos =
                Math.max(1, Math.min(deadlineNanos / 4, Duration.ofSeconds(1).toNanos()));
        while (true) {
            LockSupport.parkNanos(this, intervalNanos);
            replaceOverdue();
        }
    }

    private synchronized void replaceOverdue() {
        var now = System.nanoTime();
        for (var worker : List.copyOf(workers)) {
            var task = worker.task;
            if (task != null && !task.reported && now - worker.startedNanos > deadlineNanos) {
                task.reported = true;
                replace(worker, task);
            }
        }
    }

    private void replace(Worker worker, Task<?> task) {
        var canReplace = workers.size() < size * (1 + REPLACED_PER_THREAD);
        LOG.warn(
                "still parsing {} after {} s; {}",
                task.subject.get(),
                Duration.ofNanos(deadlineNanos).toSeconds(),
                canReplace
                        ? "starting another thread"
                        : "starting no other thread, because too many were replaced already");
        if (canReplace && !worker.replaced) {
            worker.replaced = true;
            startWorker();
        }
    }

    /** Returns the number of threads, without replaced ones. */
    synchronized int threads() {
        return (int) workers.stream().filter(worker -> !worker.replaced).count();
    }

    private synchronized boolean retireIfReplaced(Worker worker) {
        if (worker.replaced) {
            workers.remove(worker);
        }
        return worker.replaced;
    }

    private final class Worker extends Thread {

        private volatile @Nullable Task<?> task;
        private volatile long startedNanos;
        private boolean replaced; // Guarded by the pool.

        Worker(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                try {
                    var next = queue.take();
                    startedNanos = System.nanoTime();
                    task = next;
                    next.run();
                    task = null;
                } catch (InterruptedException e) {
                    LOG.warn("{} was interrupted; ignoring it", getName());
                }
                if (retireIfReplaced(this)) {
                    return;
                }
            }
        }
    }

    private static final class Task<T> {

        private final Supplier<String> subject;
        private final ParseTask<T> parseTask;
        private final Thread caller = Thread.currentThread();
        private @Nullable T result;
        private @Nullable Throwable error;
        private boolean reported; // Guarded by the pool.

        /** Written last, so that a thread that sees it also sees the result. */
        private volatile boolean done;

        Task(Supplier<String> subject, ParseTask<T> parseTask) {
            this.subject = subject;
            this.parseTask = parseTask;
        }

        void run() {
            try {
                result = parseTask.run();
            } catch (Throwable e) {
                error = e; // Rethrown to the caller.
            }
            done = true;
            LockSupport.unpark(caller);
        }

        @SuppressWarnings("NullAway") // A task may return null; its caller knows.
        T result() throws IOException {
            switch (error) {
                case null -> {
                    return result;
                }
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }
    }
}
