package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toSet;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The short forms of {@code bench/run recrawl-site} and {@code bench/run recrawl-kills}. */
@Slow
class RecrawlTest {

    private static final long SEED = Long.getLong("orbweaver.seed", 20_261L);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void aRecrawlTransfersAndListsWhatHasChanged() throws Exception {
        System.out.println("RecrawlTest: replay with -Dorbweaver.seed=" + SEED);
        var result = new RecrawledSite(directory.resolve("crawl"), 300, SEED).run();
        System.out.println("RecrawlTest: " + result.figures());
        assertThat(result.expected()).hasSizeBetween(3, 5);
        assertThat(result.listed())
                .isEqualTo(
                        result.expected().stream().map(url -> "changed " + url).collect(toSet()));
        assertThat(result.secondBytes()).isLessThan(result.firstBytes() / 20);
        assertThat(result.secondBodyBytes()).isLessThan((long) (1.05 * result.changedBytes()));
        assertThat(result.early()).isEmpty();
    }

    @Test
    void killsDuringARecrawlLoseAndRepeatNoVisit() throws Exception {
        System.out.println("RecrawlTest: replay with -Dorbweaver.seed=" + SEED);
        var figures = new RecrawlKills(directory, 3, 500, SEED).run();
        System.out.println("RecrawlTest: " + figures);
        assertThat(figures).as("seed " + SEED).containsEntry("wrong", List.of());
        assertThat(figures).containsEntry("kills", 3);
    }

    @Test
    void killsOfACrawlThatDoesNotEndLoseAndRepeatNoVisit() throws Exception {
        System.out.println("RecrawlTest: replay with -Dorbweaver.seed=" + SEED);
        var figures = new ContinuousKills(directory, 2, 300, SEED).run();
        System.out.println("RecrawlTest: " + figures);
        assertThat(figures).as("seed " + SEED).containsEntry("wrong", List.of());
    }
}
