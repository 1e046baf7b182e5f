package dev.orbweaver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Waits until the system has written what earlier runs left in memory. Without it, a run competes
 * with the write-back of the files of the run before, and is slowed when too many pages are dirty.
 */
final class QuietDisk {

    private static final long DIRTY_MAX_KB = 32 << 10;
    private static final long SECONDS_MAX = 120;

    private QuietDisk() {}

    static void await() throws IOException, InterruptedException {
        var exit = new ProcessBuilder(Program.find("sync")).start().waitFor();
        if (exit != 0) {
            throw new IOException("sync ended with code " + exit);
        }
        var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (dirtyKb() > DIRTY_MAX_KB) {
            if (System.nanoTime() > until) {
                throw new IOException(
                        "%d MB are still not written after %d s: another program writes to disk"
                                .formatted(dirtyKb() >> 10, SECONDS_MAX));
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    private static long dirtyKb() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("Dirty:") || line.startsWith("Writeback:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }
}
