package dev.orbweaver.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.internal.archive.CommittedCrawl;
import dev.orbweaver.internal.archive.Tombstones;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.CrawledPage;
import dev.orbweaver.spi.PageHandlerException;
import dev.orbweaver.spi.Sink;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Delivery from a page log whose committed length the test decides. */
class PageDeliveryTest {

    private static final Duration LONG = Duration.ofMinutes(3);

    @TempDir Path directory;
    private final List<Long> ends = new ArrayList<>();
    private final List<Long> seen = new CopyOnWriteArrayList<>();
    private final List<PageHandlerException> failures = new CopyOnWriteArrayList<>();

    /** Ten pages; the end of line n is {@code ends.get(n)}. */
    @BeforeEach
    void writeLog() throws IOException {
        writeLog(1, 10);
    }

    private void writeLog(int first, int last) throws IOException {
        var log = new StringBuilder();
        ends.clear();
        ends.add(0L);
        for (var n = first; n <= last; n++) {
            log.append(
                    "{\"seq\":%d,\"kind\":\"page\",\"url\":\"http://a.test/%d\",\"time\":\"2026-01-01T00:00:00Z\",\"status\":200}\n"
                            .formatted(n, n));
            ends.add((long) log.length());
        }
        Files.writeString(directory.resolve(DirectoryLayout.PAGE_LOG), log);
    }

    private PageDelivery delivery(int committed, Optional<Long> startAfter) throws IOException {
        var urls = new CrawlUrls(Normalisation.DEFAULT);
        var sink =
                new Sink() {
                    @Override
                    public String name() {
                        return "test";
                    }

                    @Override
                    public void store(List<CrawledPage> batch) {
                        batch.forEach(page -> seen.add(page.sequence()));
                    }
                };
        return new PageDelivery(
                new DeliverySettings(sink, true, 1, startAfter, 5, true),
                new CommittedCrawl(directory, List::of, urls, Tombstones.NONE),
                new PageDelivery.Committed(ends.get(committed), committed),
                false,
                failures::add);
    }

    /** Delivers what is committed and returns it. */
    private List<Long> deliver(int committed, Optional<Long> startAfter) throws Exception {
        seen.clear();
        try (var delivery = delivery(committed, startAfter)) {
            delivery.start();
            delivery.finish();
            assertThat(delivery.awaitEnd(LONG)).isTrue();
        }
        assertThat(failures).isEmpty();
        return List.copyOf(seen);
    }

    @Test
    void whatIsNotCommittedIsNotDelivered() throws Exception {
        assertThat(deliver(3, Optional.empty())).containsExactly(1L, 2L, 3L);
        assertThat(deliver(3, Optional.empty())).isEmpty();
        assertThat(deliver(5, Optional.empty())).containsExactly(4L, 5L);
    }

    @Test
    void aCommitMakesFurtherLinesAvailable() throws Exception {
        try (var delivery = delivery(1, Optional.empty())) {
            delivery.start();
            delivery.committed(new PageDelivery.Committed(ends.get(4), 4));
            delivery.finish();
            assertThat(delivery.awaitEnd(LONG)).isTrue();
        }
        assertThat(seen).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void aCompactedLogIsContinuedAtTheNextNumber() throws Exception {
        assertThat(deliver(6, Optional.empty())).hasSize(6);
        writeLog(5, 10); // Lines 1 to 4 were taken down.
        assertThat(deliver(6, Optional.empty())).containsExactly(7L, 8L, 9L, 10L);
    }

    @Test
    void aLogThatLostItsEndIsContinuedAtItsEnd() throws Exception {
        assertThat(deliver(10, Optional.empty())).hasSize(10);
        writeLog(1, 8);
        assertThat(deliver(8, Optional.empty())).isEmpty();
    }

    @Test
    void aDamagedPositionDeliversEverythingAgain() throws Exception {
        assertThat(deliver(10, Optional.empty())).hasSize(10);
        var file = directory.resolve(DirectoryLayout.SINKS).resolve("test" + PositionFile.SUFFIX);
        var bytes = Files.readAllBytes(file);
        bytes[3] ^= 1;
        Files.write(file, bytes);
        assertThat(deliver(10, Optional.empty())).hasSize(10);
    }

    @Test
    void aGivenPositionReplacesTheStoredOne() throws Exception {
        assertThat(deliver(10, Optional.empty())).hasSize(10);
        assertThat(deliver(10, Optional.of(7L))).containsExactly(8L, 9L, 10L);
        assertThat(deliver(10, Optional.of(10L))).isEmpty();
        assertThatThrownBy(() -> deliver(10, Optional.of(11L)))
                .hasMessageStartingWith(
                        "startAfter(11) of handler 'test' is beyond the last line 10");
        assertThat(deliver(10, Optional.of(0L))).hasSize(10);
    }

    @Test
    void theBacklogIsNamedAboveTheLimitAndUntilHalfOfIt() throws Exception {
        try (var delivery = delivery(5, Optional.empty())) {
            assertThat(delivery.backlog()).as("5 lines").isEmpty();
            delivery.committed(new PageDelivery.Committed(ends.get(6), 6));
            assertThat(delivery.backlog())
                    .contains("page handler 'test' is 6 lines of the page log behind");
            delivery.committed(new PageDelivery.Committed(ends.get(3), 3));
            assertThat(delivery.backlog()).as("3 lines, after 6").isPresent();
            delivery.committed(new PageDelivery.Committed(ends.get(2), 2));
            assertThat(delivery.backlog()).as("2 lines").isEmpty();
            delivery.committed(new PageDelivery.Committed(ends.get(3), 3));
            assertThat(delivery.backlog()).as("3 lines, after 2").isEmpty();
        }
    }
}
