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
 * Looks names up within a deadline. The system's resolver blocks its thread in native code and
 * cannot be interrupted, so it runs on a few threads of its own; a late lookup keeps its thread
 * until the resolver gives up, and while all are busy further names fail at once.
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
                    "%s was not looked up within %s".formatted(host, deadline.toString()), e);
        } catch (RejectedExecutionException e) {
            throw new IOException("too many look-ups at once, " + host + " has to wait", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while looking up " + host, e);
        }
    }

    @Override
    public void close() {
        var _ = threads.shutdownNow();
    }
}
