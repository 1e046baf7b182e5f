package dev.orbweaver.internal.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CommittedLength;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

class PageSearchTest {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final Instant BEGIN = Instant.parse("1999-12-31T22:00:00Z");
    private static final List<String> KINDS =
            List.of("page", "redirect", "error", "failed", "robots", "sitemap", "retried");

    @TempDir private Path directory;

    /** Compares the search with a scan of all lines, for times that are out of order. */
    @Test
    void theSearchFindsWhatAScanOfAllLinesFinds() throws Exception {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        writeLog(random, 6_000);
        var all = new ArrayList<PageLogEntry>();
        PageLog.readAll(directory.resolve("pages.log"), Long.MAX_VALUE, all::add);
        for (var round = 0; round < 300; round++) {
            var query = randomQuery(random);
            var expected =
                    all.stream()
                            .filter(query::accepts)
                            .limit(query.limit())
                            .map(PageLogEntry::seq)
                            .toList();
            assertThat(search(query)).as("seed %d: %s", seed, query).isEqualTo(expected);
        }
    }

    /** Requests last up to the slack, lines are in the order of their ends. */
    private void writeLog(Random random, int count) throws IOException {
        var log = new StringBuilder();
        var commit = BEGIN.toEpochMilli();
        for (var seq = 1; seq <= count; seq++) {
            commit += random.nextInt(20_000);
            var lasted = random.nextInt(10) == 0 ? random.nextInt(3_600_000) : random.nextInt(900);
            var time = Instant.ofEpochMilli(commit - lasted);
            var kind = KINDS.get(random.nextInt(KINDS.size()));
            var status = kind.equals("failed") ? 0 : 200 + 100 * random.nextInt(4);
            log.append(
                    "{\"seq\":%d,\"url\":\"http://h%d.test/%d?q=,\\\"time\\\":\\\"x\""
                            .formatted(seq, random.nextInt(5), seq));
            log.append(",\"kind\":\"").append(kind).append('"');
            log.append(status == 0 ? "" : ",\"status\":" + status);
            log.append(",\"time\":\"").append(time).append("\",\"title\":\"");
            log.append("x".repeat(random.nextInt(300))).append("\"}\n");
        }
        Files.writeString(directory.resolve("pages.log"), log);
    }

    private static PageQuery randomQuery(Random random) {
        var statuses =
                random.nextBoolean()
                        ? List.<PageQuery.StatusRange>of()
                        : List.of(
                                PageQuery.StatusRange.parse(
                                                List.of("200", "4xx", "none")
                                                        .get(random.nextInt(3)))
                                        .orElseThrow());
        return new PageQuery(
                moment(random),
                moment(random),
                statuses,
                random.nextBoolean() ? Optional.empty() : Optional.of("h2.test"),
                random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(50));
    }

    private static Optional<Instant> moment(Random random) {
        return random.nextInt(4) == 0
                ? Optional.empty()
                : Optional.of(BEGIN.plusMillis(random.nextInt(60_000_000)));
    }

    private List<Long> search(PageQuery query) throws IOException {
        return search(query, Tombstones.NONE);
    }

    private List<Long> search(PageQuery query, Tombstones tombstones) throws IOException {
        var archive = new CrawlArchive(directory, Optional.empty(), URLS);
        var found = new ArrayList<Long>();
        var count =
                PageSearch.run(
                        new CrawlPages(List.of(archive), tombstones),
                        query,
                        (page, _) -> found.add(page.seq()));
        assertThat(count).isEqualTo(found.size());
        return found;
    }

    @Test
    void aPageThatWasTakenDownIsLeftOut() throws Exception {
        writeLines(
                line(1, "http://a.test/", "2030-01-01T00:00:00Z"),
                line(2, "http://b.test/", "2030-01-01T00:00:01.5Z"));
        assertThat(search(PageQuery.ALL, url -> url.equals("http://a.test/"))).containsExactly(2L);
    }

    @Test
    void theEndOfATimeSpanDoesNotBelongToIt() throws Exception {
        writeLines(
                line(1, "http://a.test/", "2030-01-01T00:00:00.499999Z"),
                line(2, "http://a.test/2", "2030-01-01T00:00:00.5Z"),
                line(3, "http://a.test/3", "2030-01-01T00:00:00.500001Z"),
                line(4, "http://a.test/4", "2030-01-01T00:00:01Z"));
        var from = Instant.parse("2030-01-01T00:00:00.5Z");
        var query =
                new PageQuery(
                        Optional.of(from),
                        Optional.of(Instant.parse("2030-01-01T00:00:01Z")),
                        List.of(),
                        Optional.empty(),
                        10);
        assertThat(search(query)).containsExactly(2L, 3L);
    }

    @Test
    void onlyCommittedLinesAreRead() throws Exception {
        var first = line(1, "http://a.test/", "2030-01-01T00:00:00Z");
        writeLines(first, line(2, "http://a.test/2", "2030-01-01T00:00:01Z"));
        Files.writeString(
                directory.resolve("pages.log"),
                "{\"seq\":3,\"url\":\"http",
                StandardOpenOption.APPEND);
        assertThat(search(PageQuery.ALL)).as("an incomplete line").containsExactly(1L, 2L);
        var marks = List.of(new CommittedLength("pages.log", first.length(), 0));
        var archive = new CrawlArchive(directory, Optional.of(marks), URLS);
        var pages = new CrawlPages(List.of(archive), Tombstones.NONE);
        assertThat(PageSearch.run(pages, PageQuery.ALL, (_, _) -> {})).isEqualTo(1);
    }

    @Test
    void aDamagedLineIsReported() throws Exception {
        writeLines(line(1, "http://a.test/", "2030-01-01T00:00:00Z"), "not JSON\n");
        assertThatThrownBy(() -> search(PageQuery.ALL)).hasMessageContaining("not JSON");
    }

    private void writeLines(String... lines) throws IOException {
        Files.writeString(directory.resolve("pages.log"), String.join("", lines));
    }

    private static String line(int seq, String url, String time) {
        return "{\"seq\":%d,\"url\":\"%s\",\"kind\":\"page\",\"status\":200,\"time\":\"%s\"}\n"
                .formatted(seq, url, time);
    }
}
