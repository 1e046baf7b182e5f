package dev.orbweaver.server;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Resolves host names within a deadline. The system's resolver blocks its thread in native code and
 * cannot be interrupted, so it runs on a small thread pool. A late lookup occupies its thread until
 * the resolver times out; while all threads are busy, further lookups fail immediately.
 */
final class TimedDnsLookup implements AutoCloseable {

    private static final int THREADS_MAX = 8;

    private final WebhookClient.AddressLookup addressLookup;
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(
                    0,
                    THREADS_MAX,
                    10,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Thread.ofPlatform().daemon().name("webhook lookup").factory());

    TimedDnsLookup(WebhookClient.AddressLookup names) {
        this.addressLookup = names;
    }

    List<InetAddress> addresses(String host, Duration deadline) throws IOException {
        try {
            return threads.submit(() -> addressLookup.addresses(host))
                    .get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "DNS lookup of %s timed out after %s".formatted(host, deadline.toString()), e);
        } catch (RejectedExecutionException e) {
            throw new IOException("too many concurrent DNS lookups; could not resolve " + host, e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted during the DNS lookup of " + host, e);
        }
    }

    @Override
    public void close() {
        var _ = threads.shutdownNow();
    }
}
