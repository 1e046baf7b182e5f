package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.DeadLetter;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What was given up is taken back by hand and fetched by the next run. */
class DeadLetterTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void failedPagesBecomeDeadLettersAreListedRetriedAndFetched() throws Exception {
        var seed = 11;
        var spec = WebSpec.light(seed, 20, 600).without(Quirk.DEAD_HOSTS, Quirk.ROBOTS_UNREACHABLE);
        try (var web = LoopbackWeb.serve(spec)) {
            crawl(web);
            var letters = letters(web);
            var flaky = letters.stream().filter(DeadLetterTest::flaky).toList();
            assertThat(flaky).as("seed %d", seed).isNotEmpty();

            var errors =
                    letters.stream()
                            .filter(letter -> letter.cause() == FailureCause.SERVER_ERROR)
                            .map(letter -> letter.url().text())
                            .toList();
            var revived =
                    new StoredCrawl(directory, web.config("max-retries=0"))
                            .retryDeadLetters(
                                    letter -> letter.cause() == FailureCause.SERVER_ERROR);
            assertThat(revived).isEqualTo(errors.size());
            assertThat(letters(web)).hasSize((int) (letters.size() - revived));
            crawl(web);

            var archiveReader = ArchiveReader.open(directory);
            assertThat(archiveReader.pages())
                    .as("seed %d", seed)
                    .containsAll(flaky.stream().map(letter -> letter.url().text()).toList());
            assertThat(letters(web)).noneMatch(DeadLetterTest::flaky);
            assertThat(archiveReader.recordedTwice().keySet())
                    .as("given up, taken back, and then fetched or given up again")
                    .hasSameElementsAs(errors);
        }
    }

    private static boolean flaky(DeadLetter letter) {
        return letter.url().text().contains("/flaky/");
    }

    private void crawl(LoopbackWeb web) throws Exception {
        try (var crawl = CrawlOpener.open(web.config("max-retries=0"), directory)) {
            var _ = crawl.run();
            assertThat(crawl.status().frontier().ledger().balances()).isTrue();
        }
    }

    private List<DeadLetter> letters(LoopbackWeb web) throws Exception {
        var letters = new ArrayList<DeadLetter>();
        assertThat(
                        new StoredCrawl(directory, web.config("max-retries=0"))
                                .deadLetters(letters::add))
                .isZero();
        return letters;
    }
}
