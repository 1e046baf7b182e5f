package dev.orbweaver.internal.engine;

import dev.orbweaver.spi.Fetcher;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What a run has done in its sessions so far: the summary and the limits are those of the run. */
final class RunHistory {

    /**
     * A pass of the retention.
     *
     * @param ended when the crawl went on
     */
    record Pass(Instant ended, Duration duration) {}

    private final boolean canContinue;
    private Optional<Instant> started = Optional.empty();
    private Optional<Pass> lastPass = Optional.empty();
    private long pagesBefore;
    private volatile boolean stopped;
    private Fetcher.Stats network = new Fetcher.Stats(0, 0, 0, 0, 0);

    /**
     * @param canContinue whether the crawl can be closed and opened again while it runs
     */
    RunHistory(boolean canContinue) {
        this.canContinue = canContinue;
    }

    boolean canContinue() {
        return canContinue;
    }

    /** Begins a session; the first one begins the run. */
    void begin(Instant now, long pages) {
        if (started.isEmpty()) {
            started = Optional.of(now);
            pagesBefore = pages;
        }
    }

    Instant started() {
        return started.orElseThrow();
    }

    long pagesBefore() {
        return pagesBefore;
    }

    void add(Fetcher.Stats session) {
        network = plus(session);
    }

    /** Returns the figures of all sessions that have ended. */
    Fetcher.Stats network() {
        return network;
    }

    Fetcher.Stats plus(Fetcher.Stats session) {
        return new Fetcher.Stats(
                session.openConnections(),
                network.requests() + session.requests(),
                network.connectionsOpened() + session.connectionsOpened(),
                network.sentBytes() + session.sentBytes(),
                network.receivedBytes() + session.receivedBytes());
    }

    /** Ends a pass of the retention as soon as that is safe. */
    void stop() {
        stopped = true;
    }

    void checkStopped() throws InterruptedIOException {
        if (stopped) {
            throw new InterruptedIOException(
                    "stopped while old captures were being dropped; the next run drops them");
        }
    }

    Optional<Pass> lastPass() {
        return lastPass;
    }

    void passed(Pass pass) {
        lastPass = Optional.of(pass);
    }
}
