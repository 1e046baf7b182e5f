package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.SeedList;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Repairing a crawl with a long list of seeds, in a process with little memory. */
@Slow
class RepairMemoryTest {

    private static final int SEEDS = 1_000_000;

    @TempDir private Path directory;

    @Test
    void aCrawlOfAMillionSeedsIsRepairedWith160MegabytesOfHeap() throws Exception {
        var log = directory.resolve("log.txt");
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx160m",
                                "-XX:+UseSerialGC",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                RepairMemoryRun.class.getName(),
                                directory.resolve("crawl").toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        var output = Files.readString(log);
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains("loaded: " + SEEDS, "problems: 1", "repaired: " + SEEDS);
    }

    /** The process with little memory. */
    static final class RepairMemoryRun {

        private RepairMemoryRun() {}

        public static void main(String[] arguments) throws Exception {
            var crawl = Path.of(arguments[0]);
            var values = new SettingValues().put(Settings.SEED_LISTS, "true");
            try (var loader = SeedLoader.open(CrawlConfig.read(values), crawl)) {
                var _ =
                        SeedList.addCopy(
                                crawl,
                                "seeds",
                                out -> {
                                    for (var i = 0; i < SEEDS; i++) {
                                        out.line(
                                                "https://host-%d.example/a-page-of-usual-length/%d"
                                                        .formatted(i % 500, i));
                                    }
                                });
                loader.load(_ -> {});
                System.out.println("loaded: " + loader.ledger().queued());
                loader.finish();
            }
            var frontier = crawl.resolve(DirectoryLayout.FRONTIER);
            try (var files = Files.list(frontier)) {
                for (var file : files.toList()) {
                    var name = file.getFileName().toString();
                    if (name.startsWith("snapshot-")) {
                        var bytes = Files.readAllBytes(file);
                        bytes[bytes.length - 9] ^= 0x10;
                        Files.write(file, bytes);
                    }
                }
            }
            var report = DirectoryRepair.repair(crawl, Settings.CORE, _ -> {});
            System.out.println("problems: " + report.problems().size());
            try (var loader = SeedLoader.open(CrawlConfig.read(values), crawl)) {
                System.out.println("repaired: " + loader.ledger().queued());
            }
        }
    }
}
