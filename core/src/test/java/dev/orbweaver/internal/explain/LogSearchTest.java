package dev.orbweaver.internal.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.explain.UrlExplainer.LogSource;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CrawlUrl;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What is searched of a page log whose last lines are not in the index yet. */
class LogSearchTest {

    private static final CrawlUrl URL =
            new CrawlUrls(Normalisation.DEFAULT).parse("http://a.test/x").orElseThrow();

    @TempDir Path directory;

    /** Knows nothing of the lines before an offset. */
    private record EmptyIndex(long indexedBytes) implements PageLogIndex {

        @Override
        public List<PageLogEntry> attempts(CrawlUrl url, int max) {
            return List.of();
        }

        @Override
        public Optional<PageLogEntry> line(long seq) {
            return Optional.empty();
        }

        @Override
        public List<PageLogEntry> linesLinkingTo(CrawlUrl url, int max) {
            return List.of();
        }
    }

    private static String line(int seq, String url) {
        return "{\"seq\":%d,\"url\":\"%s\",\"kind\":\"page\",\"status\":200,\"time\":\"2030-01-01T00:00:00Z\"}\n"
                .formatted(seq, url);
    }

    private LogSearch search(String indexed, String tail) throws IOException {
        Files.writeString(directory.resolve(DirectoryLayout.PAGE_LOG), indexed + tail);
        var index = new EmptyIndex(indexed.length());
        var bytes = (long) indexed.length() + tail.length();
        return new LogSearch(new LogSource(directory, 0, bytes, Optional.of(index)));
    }

    private static List<Long> attempts(LogSearch search) throws IOException {
        return search.attempts(URL, entry -> entry.url().equals(URL.text()), 3).stream()
                .map(PageLogEntry::seq)
                .toList();
    }

    @Test
    void theLinesAfterTheIndexedOnesAreRead() throws Exception {
        var tail = line(5, URL.text()) + line(6, "http://a.test/y") + line(7, URL.text());
        var search = search("this part is indexed and not read\n", tail);
        assertThat(attempts(search)).containsExactly(5L, 7L);
        assertThat(search.line(6)).isPresent();
        assertThat(search.isComplete()).isTrue();
    }

    @Test
    void theFirstAndTheLastAttemptsAreKept() throws Exception {
        var tail = new StringBuilder();
        for (var seq = 1; seq <= 9; seq++) {
            tail.append(line(seq, URL.text()));
        }
        assertThat(attempts(search("", tail.toString()))).containsExactly(1L, 8L, 9L);
    }

    @Test
    void aLongTailIsNotReadToItsEnd() throws Exception {
        var filler = line(1, "http://a.test/" + "y".repeat(10_000));
        var tail = filler.repeat((int) (LogSearch.TAIL_BYTES_MAX / filler.length()) + 1);
        var search = search("", tail + line(2, URL.text()));
        assertThat(attempts(search)).isEmpty();
        assertThat(search.isComplete()).isFalse();
    }
}
