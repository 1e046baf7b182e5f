package dev.orbweaver;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.CrawlConfig;
import dev.orbweaver.config.Settings;
import dev.orbweaver.config.Values;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.crawl.CrawlListener;
import dev.orbweaver.disk.FaultyDisk;
import dev.orbweaver.disk.RealDisk;

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
 * TroubledCrawl FOLDER SEED [room=BYTES] [error-at=OPERATION] [pauses=MILLIS]
 *     [clock=SECONDS] [clock-swing=SECONDS] -- SEED_URL NAME=VALUE...
 * }</pre>
 *
 * It goes through the front door like the command line, and ends with the same exit codes: 0 at the
 * end, 5 when something still rests, 4 when the disk failed, 1 for an error of its own.
 */
public final class TroubledCrawl {

    /** How often a swinging clock is set, forth and back. */
    private static final Duration SWING = Duration.ofMillis(300);

    private FaultyDisk disk;
    private long clockSeconds;
    private long swingSeconds;

    private TroubledCrawl(long seed) {
        this.disk = FaultyDisk.over(new RealDisk(), seed);
    }

    /** Crawls and ends the process. */
    public static void main(String[] args) throws Exception {
        var words = List.of(args);
        var rest = words.indexOf("--");
        var troubled = new TroubledCrawl(Long.parseLong(words.get(1)));
        words.subList(2, rest).forEach(troubled::take);
        System.exit(
                troubled.crawl(Path.of(words.getFirst()), words.subList(rest + 1, args.length)));
    }

    private void take(String trouble) {
        var equals = trouble.indexOf('=');
        var value = Long.parseLong(trouble.substring(equals + 1));
        switch (trouble.substring(0, equals)) {
            case "room" -> disk = disk.withRoom(value);
            case "error-at" -> disk = disk.withErrorAt(value);
            case "pauses" -> disk = disk.withPauses((int) value);
            case "clock" -> clockSeconds = value;
            case "clock-swing" -> swingSeconds = value;
            default -> throw new IllegalArgumentException("there is no trouble " + trouble);
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

    private int crawl(Path folder, List<String> settings)
            throws ConfigException, InterruptedException {
        var values =
                new Values()
                        .put(Settings.SEEDS, settings.getFirst())
                        .putPairs(new ArrayList<>(settings.subList(1, settings.size())));
        try (var crawl =
                Crawler.open(CrawlConfig.read(values), folder, CrawlListener.NONE, disk, wall())) {
            var end = crawl.run();
            System.out.println("end: " + end.reason().word() + " " + end.detail());
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
            case INTERNAL -> 1;
        };
    }
}
