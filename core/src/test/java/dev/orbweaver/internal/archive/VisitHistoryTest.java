package dev.orbweaver.internal.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class VisitHistoryTest {

    @TempDir Path directory;

    private final List<String> log = new ArrayList<>();

    private void line(int visit, int parent, int status, String time) {
        var kind = status == 200 || status == 304 ? "page" : status == 0 ? "failed" : "error";
        log.add(
                "{\"seq\":%d,\"url\":\"https://example.com/\",\"kind\":\"%s\",\"status\":%d,\"time\":\"%s\",\"parent\":%d,\"visit\":%d}"
                        .formatted(log.size() + 1, kind, status, time, parent, visit));
    }

    private List<Long> current(String time) throws Exception {
        return pages(time, true);
    }

    private List<Long> pages(String time, boolean current) throws Exception {
        Files.write(directory.resolve(DirectoryLayout.PAGE_LOG), log);
        var lists = Files.createDirectories(directory.resolve(DirectoryLayout.SEEDS));
        Files.writeString(lists.resolve("000001-recrawl.list"), "");
        var urls = new CrawlUrls(Normalisation.DEFAULT);
        var archive = new CrawlArchive(directory, Optional.empty(), urls);
        var history = VisitHistory.read(archive, Instant.parse(time));
        var found = new ArrayList<PageLogEntry>();
        archive.forEachLine(0, page -> found.add(page.entry()));
        return found.stream()
                .filter(
                        entry ->
                                current
                                        ? entry.kind().name().equals("PAGE")
                                                && history.isCurrent(entry)
                                        : VisitHistory.isResponse(entry) && history.isLast(entry))
                .map(PageLogEntry::seq)
                .toList();
    }

    @Test
    void theLastVisitBeforeATimeCounts() throws Exception {
        line(1, 0, 200, "2026-01-01T00:00:00Z");
        line(2, 1, 304, "2026-01-02T00:00:00Z");
        line(3, 2, 200, "2026-01-03T00:00:00Z");
        assertThat(current("2026-01-01T12:00:00Z")).containsExactly(1L);
        assertThat(current("2026-01-02T12:00:00Z")).containsExactly(2L);
        assertThat(current("2027-01-01T00:00:00Z")).containsExactly(3L);
    }

    @Test
    void aFailedVisitLeavesThePageAsItIs() throws Exception {
        line(1, 0, 200, "2026-01-01T00:00:00Z");
        line(2, 1, 0, "2026-01-02T00:00:00Z");
        assertThat(current("2027-01-01T00:00:00Z")).containsExactly(1L);
        assertThat(pages("2027-01-01T00:00:00Z", false)).containsExactly(1L);
    }

    @Test
    void aPageIsGoneWhenItIsMissingAgainADayLater() throws Exception {
        line(1, 0, 200, "2026-01-01T00:00:00Z");
        line(2, 1, 404, "2026-01-02T00:00:00Z");
        line(3, 2, 404, "2026-01-02T23:59:59Z");
        assertThat(current("2027-01-01T00:00:00Z")).containsExactly(1L);
        assertThat(pages("2027-01-01T00:00:00Z", false)).containsExactly(3L);
        line(4, 3, 410, "2026-01-03T00:00:00Z");
        assertThat(current("2027-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void aPageThatIsBackReplacesTheMissingOne() throws Exception {
        line(1, 0, 200, "2026-01-01T00:00:00Z");
        line(2, 1, 404, "2026-01-02T00:00:00Z");
        line(3, 2, 200, "2026-01-04T00:00:00Z");
        assertThat(current("2027-01-01T00:00:00Z")).containsExactly(3L);
    }
}
