package dev.orbweaver.crawls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.CrawlDirectory;
import dev.orbweaver.Crawler;
import dev.orbweaver.crawl.CrawlEnd;
import dev.orbweaver.lab.Hazard;
import dev.orbweaver.lab.Quirk;
import dev.orbweaver.lab.WebSpec;
import dev.orbweaver.model.FailureCause;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;

/** A web with traps over real sockets: left, counted, and opened again. */
class TrapTest {

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    void whatWasGivenUpAsATrapIsKeptAndCanBeTakenBack() throws Exception {
        var spec =
                WebSpec.light(5, 16, 150)
                        .without(Quirk.ROBOTS_UNREACHABLE, Quirk.DEAD_HOSTS)
                        .with(Hazard.CALENDAR, Hazard.FACETS, Hazard.SESSION_IDS);
        try (var web = LabWeb.serve(spec)) {
            try (var crawl = Crawler.open(web.config(), folder)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            var first = new HashSet<>(Archive.open(folder).pages());
            assertThat(first).containsAll(web.truth().pages());
            var given =
                    new CrawlDirectory(folder, web.config())
                            .peek()
                            .deadByCause()
                            .get(FailureCause.TRAP);
            assertThat(given).isPositive();
            assertThat(Files.readString(folder.resolve("traps.tsv"))).contains("like http://");

            assertThat(retry(web)).isEqualTo(given);
            try (var crawl = Crawler.open(web.config(), folder)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.COMPLETE);
            }
            assertThat(Archive.open(folder).pages()).as("it was remembered").hasSameSizeAs(first);

            assertThat(retry(web)).isEqualTo(given);
            var more = "max-pages=" + (first.size() + given);
            try (var crawl = Crawler.open(web.config("traps=off", more), folder)) {
                assertThat(crawl.run().reason()).isEqualTo(CrawlEnd.Reason.MAX_PAGES);
            }
            assertThat(Archive.open(folder).pages()).hasSize((int) (first.size() + given));
        }
    }

    private long retry(LabWeb web) throws Exception {
        return new CrawlDirectory(folder, web.config())
                .retryDead(letter -> letter.cause() == FailureCause.TRAP);
    }
}
