package dev.orbweaver.internal.crawl;

import static dev.orbweaver.internal.crawl.VisitHarness.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.ReleaseReason;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Two workers with their own logs that share robots.txt entries. */
class SharedRobotsStoreTest {

    private static final String PAGE = "http://a.test/page";
    private static final String PRIVATE = "http://a.test/private";
    private static final String DENY_PRIVATE = "user-agent: *\ncrawl-delay: 9\ndisallow: /private";
    private static final Step.Resolve FETCHES_ROBOTS =
            new Step.Resolve(url("http://a.test/robots.txt"));

    /** In memory, with expiry; loses every entry when it fails. */
    private static final class InMemoryPool implements SharedRobotsStore.Pool {
        private final Map<String, byte[]> notes = new HashMap<>();
        private Duration lasts = Duration.ZERO;
        private boolean unavailable;

        @Override
        public Optional<byte[]> find(String origin) throws IOException {
            fail();
            return Optional.ofNullable(notes.get(origin));
        }

        @Override
        public void put(String origin, byte[] answer, Duration time) throws IOException {
            fail();
            notes.put(origin, answer);
            lasts = time;
        }

        private void fail() throws IOException {
            if (unavailable) {
                throw new IOException("nobody is there");
            }
        }
    }

    private final InMemoryPool inMemoryPool = new InMemoryPool();
    private final VisitHarness one = worker();
    private final VisitHarness two = worker();

    private VisitHarness worker() {
        try {
            var visitHarness = new VisitHarness[1];
            InstantSource clock = () -> visitHarness[0].now;
            var own = RobotsLog.open(new SimulatedDisk(), Path.of("/crawl"));
            visitHarness[0] = new VisitHarness(new SharedRobotsStore(own, inMemoryPool, clock));
            return visitHarness[0];
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatOneHasReadTheOtherKnows() {
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(two.visit(PRIVATE).begin(two.now)).isInstanceOf(Step.Settle.class);
        assertThat(two.visitContext.robots().hostDelay(url(PAGE))).isEqualTo(Duration.ofSeconds(9));
        assertThat(inMemoryPool.lasts).isEqualTo(RobotsEntry.FRESH_FOR);
    }

    @Test
    void anUnreachableFileIsNotFetchedByEveryWorker() {
        var _ = one.robots(PAGE, 500, "");
        var told = ((Step.Release) two.visit(PAGE).begin(two.now)).reason();
        assertThat(told).isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        two.now = two.now.plusSeconds(61);
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(FETCHES_ROBOTS);
    }

    /** Also for an entry that is still in memory. */
    @Test
    void anExpiredEntryIsReplacedByANewerOneOfAnotherWorker() {
        var _ = two.robots(PAGE, 500, "");
        one.now = two.now.plusSeconds(61);
        two.now = one.now;
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @Test
    void anOlderEntryDoesNotReplaceANewerOne() {
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        var old = Map.copyOf(inMemoryPool.notes);
        one.now = one.now.plus(RobotsEntry.FRESH_FOR);
        var _ = one.robots(PAGE, 200, "");
        inMemoryPool.notes.putAll(old);
        one.now = one.now.plus(RobotsEntry.FRESH_FOR);
        assertThat(one.visit(PAGE).begin(one.now)).isEqualTo(FETCHES_ROBOTS);
    }

    @Test
    void withoutAPoolEachWorkerFetchesItself() {
        inMemoryPool.unavailable = true;
        var _ = one.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(one.visit(PAGE).begin(one.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(FETCHES_ROBOTS);
    }

    @Test
    void anInvalidPoolEntryIsIgnored() {
        inMemoryPool.notes.put("http://a.test", "something else entirely".getBytes(UTF_8));
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(FETCHES_ROBOTS);
    }

    @Test
    void aNoteOfAnotherOriginIsNone() {
        var _ = one.robots("http://b.test/page", 200, DENY_PRIVATE);
        inMemoryPool.notes.put("http://a.test", inMemoryPool.notes.get("http://b.test"));
        assertThat(two.visit(PAGE).begin(two.now)).isEqualTo(FETCHES_ROBOTS);
    }
}
