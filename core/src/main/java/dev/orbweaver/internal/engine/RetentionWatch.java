package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.config.Retention;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.model.CommittedLength;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Stops a running crawl when its retention must drop captures: when the WARC files exceed the size,
 * and every eighth of the age.
 *
 * <p>After a pass the crawl runs at least nine times as long as the pass took, so fetching pauses
 * for a tenth of the time at most, also when almost all captures are current ones.
 */
final class RetentionWatch implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(RetentionWatch.class);

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration BY_AGE_MIN = Duration.ofMinutes(1);
    private static final Duration BY_AGE_MAX = Duration.ofDays(1);
    private static final int PASSES_PER_AGE = 8;
    private static final int RUN_PER_PASS = 9;

    private final Retention retention;
    private final Instant notBefore;
    private final Optional<Instant> byAge;
    private final InstantSource clock;
    private final LongSupplier warcBytes;
    private final Runnable stop;
    private final Thread thread;
    private volatile boolean due;

    /**
     * Starts to watch.
     *
     * @param last the last pass of this run
     * @param warcBytes committed bytes of the WARC files
     */
    RetentionWatch(
            Retention retention,
            Optional<RunHistory.Pass> last,
            InstantSource clock,
            LongSupplier warcBytes,
            Runnable stop) {
        var begun = clock.instant();
        this.retention = retention;
        this.notBefore = last.map(RetentionWatch::next).orElse(begun);
        this.byAge = retention.age().map(age -> begun.plus(interval(age)));
        this.clock = clock;
        this.warcBytes = warcBytes;
        this.stop = stop;
        this.thread = Thread.ofVirtual().name("retention").start(this::run);
    }

    private static Instant next(RunHistory.Pass pass) {
        return pass.ended().plus(pass.duration().multipliedBy(RUN_PER_PASS));
    }

    private static Duration interval(Duration age) {
        var part = age.dividedBy(PASSES_PER_AGE);
        if (part.compareTo(BY_AGE_MIN) < 0) {
            return BY_AGE_MIN;
        }
        return part.compareTo(BY_AGE_MAX) > 0 ? BY_AGE_MAX : part;
    }

    static long warcBytes(List<CommittedLength> lengths) {
        return lengths.stream()
                .filter(each -> each.name().startsWith(DirectoryLayout.WARC))
                .mapToLong(CommittedLength::length)
                .sum();
    }

    private void run() {
        try {
            while (!isReached(clock.instant())) {
                Thread.sleep(POLL_INTERVAL);
            }
            due = true;
            LOG.info("retention: fetching pauses while old captures are dropped");
            stop.run();
        } catch (InterruptedException e) {
            LOG.debug("the crawl ends");
        } catch (FrontierFailedException e) {
            LOG.debug("the crawl ends because of its frontier", e);
        }
    }

    boolean isReached(Instant now) {
        return !now.isBefore(notBefore)
                && (byAge.filter(at -> !now.isBefore(at)).isPresent()
                        || warcBytes.getAsLong() > retention.bytesMax());
    }

    /** Returns whether captures are to be dropped now. */
    boolean isDue() {
        return due;
    }

    @Override
    public void close() throws IOException {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
