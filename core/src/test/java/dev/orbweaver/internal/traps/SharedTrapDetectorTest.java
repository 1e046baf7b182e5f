package dev.orbweaver.internal.traps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.traps.TrapHarness.FakePage;
import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Trap detection shared by several workers on one job. */
class SharedTrapDetectorTest {

    private static final int PAGES = 20;

    /** Balances in memory, which can be unreachable. */
    private static final class InMemoryBalances implements TrapBalances {
        private final Map<Long, Integer> balances = new HashMap<>();
        private String last = "";
        private boolean losesReply;
        private boolean unavailable;

        @Override
        public int[] apply(Changes changes) throws IOException {
            if (!changes.id().equals(last)) {
                for (var i = 0; i < changes.keys().size(); i++) {
                    var by = changes.deltas().get(i);
                    balances.merge(
                            changes.keys().get(i), by, (a, b) -> Math.min(a + b, changes.max()));
                }
            }
            last = changes.id();
            if (losesReply) {
                losesReply = false;
                throw new IOException("the answer is lost");
            }
            return balances(changes.keys());
        }

        @Override
        public int[] balances(List<Long> keys) throws IOException {
            if (unavailable) {
                throw new IOException("away");
            }
            return keys.stream().mapToInt(key -> balances.getOrDefault(key, 0)).toArray();
        }
    }

    private final InMemoryBalances inMemoryBalances = new InMemoryBalances();
    private long captures;

    private TrapDetector worker() {
        var trapDetector = new TrapDetector(TrapSettings.DEFAULT);
        trapDetector.share(inMemoryBalances);
        return trapDetector;
    }

    private enum Links {
        NEW,
        MET_BY_OTHERS,
        MET_BY_THIS_WORKER
    }

    private void fetch(
            TrapDetector worker, String url, FakePage fakePage, Links links, boolean settled) {
        captures++;
        var capture = TrapHarness.capture(TrapHarness.URLS.parse(url).orElseThrow(), fakePage);
        worker.beginPage(captures, capture);
        for (var link : capture.page().links()) {
            if (links != Links.MET_BY_THIS_WORKER) {
                var _ = worker.priorityPenalty(link.url(), Hop.LINK, 0);
                worker.reportNew(link.url(), Hop.LINK, captures, links == Links.NEW);
            }
        }
        worker.onSettled(settled);
    }

    private static FakePage day(int n) {
        return new FakePage("Day " + n, "there are no events on this day", "/day/" + (n + 1));
    }

    private void fetchDay(TrapDetector worker, int n) {
        fetch(worker, "http://a.test/day/" + n, day(n), Links.NEW, true);
    }

    private static boolean givesUp(TrapDetector worker, String url) {
        return worker.trapReason(TrapHarness.URLS.parse(url).orElseThrow(), Hop.LINK).isPresent();
    }

    @Test
    void aTrapWhosePagesAreSpreadOverWorkersIsFoundByAll() {
        var workers = List.of(worker(), worker(), worker());
        var n = 0;
        while (n < 60 && !givesUp(workers.get(n % 3), "http://a.test/day/" + n)) {
            fetchDay(workers.get(n % 3), n);
            n++;
        }
        assertThat(n).as("days fetched").isBetween(5, 25);
        for (var worker : workers) {
            if (!givesUp(worker, "http://a.test/day/99")) {
                fetchDay(worker, 100 + n); // It reads the balances with its next page.
            }
            assertThat(givesUp(worker, "http://a.test/day/99")).isTrue();
        }
    }

    @Test
    void whatAPatternBroughtToOneWorkerCountsForTheOther() {
        var one = worker();
        for (var n = 0; n < PAGES; n++) {
            var other = new FakePage("Fair", ("word" + n + " ").repeat(3) + n * 7919, "/day/" + n);
            fetch(one, "http://a.test/day/" + (1000 + n), other, Links.NEW, true);
        }
        var two = worker();
        for (var n = 0; n < 12; n++) {
            fetchDay(two, n);
        }
        assertThat(givesUp(two, "http://a.test/day/99")).isFalse();
    }

    @Test
    void aPageCountsOnceHoweverOftenItIsFetched() {
        var worker = worker();
        for (var n = 0; n < PAGES; n++) {
            fetch(worker, "http://a.test/list/" + n, list(n), Links.NEW, false);
        }
        assertThat(inMemoryBalances.balances)
                .as("changes by pages that may not be settled")
                .isEmpty();
        for (var n = 0; n < PAGES; n++) {
            fetch(worker, "http://a.test/list/" + n, list(n), Links.MET_BY_THIS_WORKER, true);
        }
        assertThat(givesUp(worker, "http://a.test/list/99")).isFalse();
    }

    /** One of many pages with the same text but different links. */
    private static FakePage list(int n) {
        return new FakePage("List", "what there is in this place", "/thing" + n, "/other" + n);
    }

    @Test
    void aPageThatAnotherWorkerFetchesAgainIsNotChargedForLinksOfItsFirstFetch() {
        var one = worker();
        var two = worker();
        for (var n = 0; n < PAGES; n++) {
            fetch(one, "http://a.test/list/" + n, list(n), Links.NEW, false);
            fetch(two, "http://a.test/list/" + n, list(n), Links.MET_BY_OTHERS, true);
        }
        assertThat(givesUp(two, "http://a.test/list/99")).isFalse();
    }

    @Test
    void pagesThatLeadToNothingThatThisWorkerHasNotMetAreCharged() {
        var worker = worker();
        for (var n = 0; n < PAGES; n++) {
            fetch(worker, "http://a.test/list/" + n, list(0), Links.MET_BY_THIS_WORKER, true);
        }
        assertThat(givesUp(worker, "http://a.test/list/99")).isTrue();
    }

    @Test
    void changesWithALostReplyAreAppliedOnceAndNothingIsAbandonedUnread() {
        var worker = worker();
        fetchDay(worker, 0);
        inMemoryBalances.losesReply = true;
        fetchDay(worker, 1);
        var before = Map.copyOf(inMemoryBalances.balances);
        worker.onSettled(true);
        fetch(worker, "http://b.test/", new FakePage("Other", "another page"), Links.NEW, true);
        before.forEach(
                (key, balance) ->
                        assertThat(inMemoryBalances.balances).containsEntry(key, balance));
        for (var n = 2; n < PAGES; n++) {
            fetchDay(worker, n);
        }
        assertThat(givesUp(worker, "http://a.test/day/99")).isTrue();
        inMemoryBalances.unavailable = true;
        assertThat(givesUp(worker, "http://a.test/day/99")).isFalse();
    }
}
