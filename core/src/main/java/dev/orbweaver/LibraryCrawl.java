package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.engine.OpenCrawl;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.spi.Scope;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/** An open crawl as users of the library see it. */
final class LibraryCrawl implements RunningCrawl {

    private enum State {
        OPEN,
        RUNNING,
        ENDED,
        CLOSED
    }

    private final OpenCrawl crawl;
    private final UnaryOperator<Scope> rules;
    private final int concurrencyMax;
    private final CountDownLatch ended = new CountDownLatch(1);
    private State state = State.OPEN; // Guarded by this.

    /**
     * @param rules adds the scope and filters of the program to the built-in rules
     */
    LibraryCrawl(OpenCrawl crawl, UnaryOperator<Scope> rules) {
        this.crawl = crawl;
        this.rules = rules;
        this.concurrencyMax = crawl.config().crawl().concurrency();
    }

    @Override
    public CrawlReport run() throws InterruptedException, IOException {
        begin();
        try {
            var end = crawl.run();
            if (crawl.handlerFailure().isPresent()) {
                throw crawl.handlerFailure().get();
            }
            return crawl.summary(end);
        } finally {
            end();
        }
    }

    private synchronized void begin() {
        state =
                switch (state) {
                    case OPEN -> State.RUNNING;
                    case RUNNING, ENDED ->
                            throw new IllegalStateException(
                                    "run was already called; close the crawl and open it again to"
                                            + " resume it");
                    case CLOSED ->
                            throw new IllegalStateException(
                                    "the crawl is closed; open it again to run it");
                };
    }

    private synchronized void end() {
        state = State.ENDED;
        ended.countDown();
    }

    @Override
    public void pause() {
        crawl.pause();
    }

    @Override
    public void resume() {
        crawl.resume();
    }

    @Override
    public void stop() {
        crawl.stop(crawl.config().crawl().stopGrace());
    }

    @Override
    public void stop(Duration grace) {
        crawl.stop(grace);
    }

    @Override
    public void stopAndWait() throws InterruptedException {
        stop();
        if (isRunning()) {
            ended.await();
        }
    }

    private synchronized boolean isRunning() {
        return state == State.RUNNING;
    }

    @Override
    public Ledger counts() {
        return crawl.status().frontier().ledger();
    }

    @Override
    public int inFlight() {
        return crawl.status().inFlight();
    }

    @Override
    public Optional<String> waitingFor() {
        return crawl.status().problem();
    }

    @Override
    public void setDelay(Duration delay) throws ConfigException, IOException {
        crawl.reconfigure("delay", CrawlerBuilder.millis(delay));
    }

    @Override
    public void setMaxPages(long pages) throws ConfigException, IOException {
        crawl.reconfigure("max-pages", Long.toString(pages));
    }

    @Override
    public void setMaxBytes(long bytes) throws ConfigException, IOException {
        crawl.reconfigure("max-bytes", Long.toString(bytes));
    }

    @Override
    public void setMaxTime(Duration time) throws ConfigException, IOException {
        crawl.reconfigure("max-time", CrawlerBuilder.millis(time));
    }

    @Override
    public void setConcurrency(int requests) throws ConfigException, IOException {
        if (requests > concurrencyMax) {
            throw new ConfigException(
                    "concurrency",
                    "concurrency: %d is above %d, with which the crawl was opened; open it with more"
                            .formatted(requests, concurrencyMax));
        }
        crawl.reconfigure("concurrency", Integer.toString(requests));
    }

    @Override
    public CrawlDirectory directory() {
        return new CrawlDirectory(crawl.directory(), crawl.config(), rules);
    }

    @Override
    public void close() throws IOException {
        if (mustClose()) {
            crawl.close();
        }
    }

    private synchronized boolean mustClose() {
        return switch (state) {
            case RUNNING ->
                    throw new IllegalStateException(
                            "the crawl is running: call stop, and close it when run has returned");
            case OPEN, ENDED -> {
                state = State.CLOSED;
                yield true;
            }
            case CLOSED -> false;
        };
    }
}
