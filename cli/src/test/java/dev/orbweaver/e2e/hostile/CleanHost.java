package dev.orbweaver.e2e.hostile;

import static dev.orbweaver.e2e.hostile.RawResponses.MISSING;
import static dev.orbweaver.e2e.hostile.RawResponses.html;

import dev.orbweaver.internal.fetch.TestServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A well-behaved host on 127.0.0.2 that measures at which rate it is crawled. One of its pages
 * links to the hostile host; the rate before that is the rate alone, the rate after it the rate
 * beside.
 */
final class CleanHost implements AutoCloseable {

    /** Requests before the rate is measured: the crawler's code is not compiled yet. */
    private static final int WARM_UP = 15;

    /** Requests over which the rate alone is measured. */
    private static final int ALONE = 30;

    /** How many pages ahead each page links, so that the queue is never empty. */
    private static final int AHEAD = 10;

    /** How long the rate beside the hostile host is measured. */
    static final Duration BESIDE = Duration.ofSeconds(5);

    private final TestServer server;
    private final List<Long> arrivals = new ArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final long seed;
    private volatile List<String> hostile = List.of();
    private volatile String warm = "";
    private volatile boolean growing = true;
    private volatile Runnable atAlone = () -> {};

    CleanHost(long seed) throws IOException {
        this.seed = seed;
        this.server =
                TestServer.start(
                        new ServerSocket(0, 100, InetAddress.ofLiteral("127.0.0.2")),
                        RawResponses.site((path, _) -> reply(path)));
    }

    String url() {
        return "http://127.0.0.2:" + server.port() + "/";
    }

    /**
     * What to link to.
     *
     * @param warmUrl at once: an ordinary host that makes the crawler load what it loads only once
     * @param urls when the rate alone is known
     * @param begin what to run when its measuring begins
     */
    void linkTo(String warmUrl, List<String> urls, Runnable begin) {
        warm = warmUrl;
        hostile = List.copyOf(urls);
        atAlone = begin;
    }

    private byte[] reply(String path) {
        if (path.equals("/")) {
            var text = new StringBuilder("<title>Clean</title>");
            text.append("<a href=\"").append(warm).append("\">w</a>");
            for (var i = 1; i <= AHEAD; i++) {
                text.append("<a href=/p").append(i).append(">p</a>");
            }
            return html(text.toString());
        }
        if (!path.startsWith("/p")) {
            return MISSING;
        }
        var number = Integer.parseInt(path.substring(2));
        var text = new StringBuilder("<title>Page " + number + "</title>");
        text.append(HostileDocuments.words(new Random(seed + number), 60));
        if (growing) {
            text.append("<a href=/p").append(number + AHEAD).append(">next</a>");
        }
        if (arrived() == WARM_UP + ALONE) {
            hostile.forEach(url -> text.append("<a href=\"").append(url).append("\">h</a>"));
            released.countDown();
        }
        return html(text.toString());
    }

    private synchronized int arrived() {
        arrivals.add(System.nanoTime());
        if (arrivals.size() == WARM_UP) {
            atAlone.run();
        }
        return arrivals.size();
    }

    /** Waits until the hostile host is linked to; false when the crawl ended before. */
    boolean awaitRelease(Process crawl, Duration limit) throws InterruptedException {
        var until = System.nanoTime() + limit.toNanos();
        while (!released.await(100, TimeUnit.MILLISECONDS)) {
            if (!crawl.isAlive() || System.nanoTime() > until) {
                return false;
            }
        }
        return true;
    }

    /** Lets the crawl come to an end: no page links any further. */
    void stopGrowing() {
        growing = false;
    }

    synchronized int requests() {
        return arrivals.size();
    }

    /** The requests over which the rate alone was measured. */
    static int aloneRequests() {
        return ALONE;
    }

    /** Requests since the hostile host was linked to. */
    synchronized int requestsBeside() {
        return arrivals.size() - WARM_UP - ALONE;
    }

    /** The rate beside the hostile host as a share of the rate alone. */
    synchronized double ratio() {
        var from = arrivals.get(WARM_UP - 1);
        var link = arrivals.get(WARM_UP + ALONE - 1);
        var alone = ALONE / (double) (link - from);
        var until = link + BESIDE.toNanos();
        var beside = arrivals.stream().filter(at -> at > link && at <= until).count();
        return beside / (double) BESIDE.toNanos() / alone;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
