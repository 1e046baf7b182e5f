package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.testkit.Hazard;
import dev.orbweaver.testkit.Quirk;
import dev.orbweaver.testkit.WebSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;

/** A web with traps over real sockets: left, counted, and opened again. */
class TrapTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @Test
    void trapUrlsBecomeDeadLettersAndCanBeRetried() throws Exception {
        var spec =
                WebSpec.light(5, 16, 150)
                        .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS)
                        .with(Hazard.CALENDAR, Hazard.FACETS, Hazard.SESSION_IDS);
        try (var web = LoopbackWeb.serve(spec)) {
            try (var crawl = CrawlOpener.open(web.config(), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            var first = new HashSet<>(ArchiveReader.open(directory).pages());
            assertThat(first).containsAll(web.truth().pages());
            var given =
                    new StoredCrawl(directory, web.config())
                            .stats()
                            .deadByCause()
                            .get(FailureCause.TRAP);
            assertThat(given).isPositive();
            assertThat(Files.readString(directory.resolve("traps.tsv"))).contains("like http://");

            assertThat(retry(web)).isEqualTo(given);
            try (var crawl = CrawlOpener.open(web.config(), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            assertThat(ArchiveReader.open(directory).pages())
                    .as("it was remembered")
                    .hasSameSizeAs(first);

            assertThat(retry(web)).isEqualTo(given);
            var more = "max-pages=" + (first.size() + given);
            try (var crawl = CrawlOpener.open(web.config("traps=off", more), directory)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.MAX_PAGES);
            }
            assertThat(ArchiveReader.open(directory).pages()).hasSize((int) (first.size() + given));
        }
    }

    private long retry(LoopbackWeb web) throws Exception {
        return new StoredCrawl(directory, web.config())
                .retryDeadLetters(letter -> letter.cause() == FailureCause.TRAP);
    }
}
