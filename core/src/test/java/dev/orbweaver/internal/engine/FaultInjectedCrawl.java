package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.crawl.CrawlListener;
import dev.orbweaver.internal.disk.FaultyDisk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.model.CrawlEnd;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * A crawl in a process of its own on a disk and under a clock with something wrong with them:
 *
 * <pre>{@code
 * FaultInjectedCrawl FOLDER SEED [room=BYTES] [error-at=OPERATION] [pauses=MILLIS]
 *     [clock=SECONDS] [clock-swing=SECONDS] -- SEED_URL NAME=VALUE...
 * }</pre>
 *
 * It goes through the front door like the command line, and ends with the same exit codes: 0 at the
 * end, 5 when something still rests, 4 when the disk failed, 1 for an error of its own.
 */
public final class FaultInjectedCrawl {

    /** How often a swinging clock is set, forth and back. */
    private static final Duration SWING = Duration.ofMillis(300);

    private FaultyDisk disk;
    private long clockSeconds;
    private long swingSeconds;

    private FaultInjectedCrawl(long seed) {
        this.disk = FaultyDisk.over(new RealDisk(), seed);
    }

    /** Crawls and ends the process. */
    public static void main(String[] args) throws Exception {
        var words = List.of(args);
        var rest = words.indexOf("--");
        var troubled = new FaultInjectedCrawl(Long.parseLong(words.get(1)));
        words.subList(2, rest).forEach(troubled::inject);
        System.exit(
                troubled.crawl(Path.of(words.getFirst()), words.subList(rest + 1, args.length)));
    }

    private void inject(String problem) {
        var equals = problem.indexOf('=');
        var value = Long.parseLong(problem.substring(equals + 1));
        switch (problem.substring(0, equals)) {
            case "room" -> disk = disk.withCapacity(value);
            case "error-at" -> disk = disk.withErrorAt(value);
            case "pauses" -> disk = disk.withPauses((int) value);
            case "clock" -> clockSeconds = value;
            case "clock-swing" -> swingSeconds = value;
            default -> throw new IllegalArgumentException("there is no trouble " + problem);
        }
    }

    private InstantSource wall() {
        var begun = System.nanoTime();
        return () -> {
            var swings = (System.nanoTime() - begun) / SWING.toNanos();
            var offset = clockSeconds + (swings % 2 == 0 ? 0 : swingSeconds);
            return InstantSource.system().instant().plusSeconds(offset);
        };
    }

    private int crawl(Path directory, List<String> settings)
            throws ConfigException, InterruptedException {
        var settingValues =
                new SettingValues()
                        .put(Settings.SEEDS, settings.getFirst())
                        .putPairs(new ArrayList<>(settings.subList(1, settings.size())));
        try (var crawl =
                CrawlOpener.open(
                        CrawlConfig.read(settingValues),
                        directory,
                        CrawlListener.NONE,
                        disk,
                        wall())) {
            var end = crawl.run();
            System.out.println("end: " + end.reason().id() + " " + end.detail());
            return exitCode(end);
        } catch (IOException | UncheckedIOException e) {
            System.out.println("disk: " + e.getMessage());
            return 4;
        }
    }

    private static int exitCode(CrawlEnd end) {
        return switch (end.reason()) {
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME -> 0;
            case WAITING -> 5;
            case STOPPED -> 130;
            case BROKEN -> 4;
            case RETENTION, HANDLER_FAILED, INTERNAL -> 1;
        };
    }
}
