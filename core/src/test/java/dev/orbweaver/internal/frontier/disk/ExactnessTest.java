package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Durability;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A sample of {@code bench/run exactness}, with small files so that all of them are replaced often.
 */
@Slow
class ExactnessTest {

    private static final DiskSettings SMALL =
            new DiskSettings(
                    new CrawlUrls(Normalisation.DEFAULT),
                    Durability.PROCESS,
                    1 << 20,
                    1 << 20,
                    1000,
                    false);

    private static final long FIRST_TABLE = 4096 + (8L << 16) * Long.BYTES;

    @TempDir Path directory;

    @Test
    void noUrlIsLostOrDoubledAmongRandomOffers() throws IOException {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var test = new Exactness(directory, SMALL, 250_000, 400, seed);
        for (var life = 0; life < 4; life++) {
            test.offer(75_000);
            test.reopen();
        }
        assertThat(test.duplicates()).isGreaterThan(100_000);
        assertThat(Files.size(directory.resolve("seen-0.table")))
                .as("length of a table that has grown")
                .isGreaterThan(FIRST_TABLE);
        test.takeAll();
        test.close();
        assertThat(test.lost()).as("lost with seed %d", seed).isZero();
        assertThat(test.doubled()).as("doubled with seed %d", seed).isZero();
    }
}
