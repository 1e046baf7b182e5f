package dev.orbweaver.internal.crawl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.traps.TrapSettings;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A slow or dead host takes nothing from the others. A fifth of the hosts is bad, and there are
 * more of these than workers. TestFrontier and loop policy are the real ones, time is simulated.
 */
@Slow
class BadHostsTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final int HOSTS = 500;
    private static final int WORKERS = 60;
    private static final Duration RESPONSE_TIME = Duration.ofMillis(80);
    private static final Duration LONG = Duration.ofMinutes(10);

    /** The fault of a host. */
    enum HostFault {
        /** It responds a minute later than others. */
        SLOW(Duration.ofSeconds(55)),
        /** It does not respond at all. */
        DEAF(Duration.ofSeconds(60)),
        /** It cannot be reached. */
        DEAD(Duration.ofSeconds(10));

        private final Duration duration;

        HostFault(Duration takes) {
            this.duration = takes;
        }
    }

    private record Request(Lease lease, Instant began, Instant ended, boolean good) {}

    @ParameterizedTest
    @EnumSource(HostFault.class)
    void aFifthOfBadHostsLeavesTheOthersNineteenTwentiethsOfTheirRate(HostFault hostFault) {
        var alone = goodPages(hostFault, 0);
        var beside = goodPages(hostFault, 5);
        // Both runs have the same number of good hosts: a fifth is missing in one.
        var share = beside / (alone * .8);
        System.out.printf("bad hosts: %s: the others keep %.1f %%%n", hostFault, 100 * share);
        assertThat(share).as("%d pages beside, %d alone", beside, alone).isGreaterThan(.95);
    }

    @Test
    void noMoreAreTakenAtOnceThanThereAreWorkersWhateverIsStalled() {
        var loopPolicy = new LoopPolicy(settings());
        var ledger = TestFrontier.inMemory(Politeness.DEFAULT, START).ledger();
        assertThat(loopPolicy.availableLeases(ledger, 0, 1000, WORKERS)).isEqualTo(WORKERS);
        assertThat(loopPolicy.availableLeases(ledger, 10, 1000, 1)).isLessThanOrEqualTo(1);
        assertThat(loopPolicy.availableLeases(ledger, WORKERS, 0, WORKERS)).isZero();
        assertThat(loopPolicy.availableLeases(ledger, WORKERS + 5, 5, WORKERS)).isZero();
        assertThat(loopPolicy.availableLeases(ledger, 10 * WORKERS, 10 * WORKERS, WORKERS))
                .as("the number of stalled requests is limited")
                .isZero();
    }

    /** Returns the number of pages fetched from good hosts. */
    private static long goodPages(HostFault hostFault, int badEvery) {
        var politeness =
                new Politeness(
                        Duration.ofSeconds(1),
                        Duration.ZERO,
                        Duration.ZERO,
                        1,
                        Duration.ofMinutes(10));
        var frontier = TestFrontier.inMemory(politeness, START);
        for (var host = 0; host < HOSTS; host++) {
            frontier.offer(TestFrontier.JOB, pages(host), START);
        }
        var loopPolicy = new LoopPolicy(settings());
        var requests = new PriorityQueue<>(Comparator.comparing(Request::ended));
        var good = 0L;
        var end = START.plus(LONG);
        for (var now = START; now.isBefore(end); ) {
            var time = now;
            var stalled =
                    requests.stream()
                            .filter(
                                    each ->
                                            each.began
                                                    .plus(LoopPolicy.STALLED_AFTER)
                                                    .isBefore(time))
                            .count();
            var room =
                    loopPolicy.availableLeases(
                            frontier.ledger(), requests.size(), (int) stalled, Integer.MAX_VALUE);
            for (var lease : frontier.lease(room, now)) {
                var bad = badEvery > 0 && number(lease) % badEvery == 0;
                var takes = bad ? hostFault.duration : RESPONSE_TIME;
                requests.add(new Request(lease, now, now.plus(takes), !bad));
            }
            var next = now.plusMillis(50);
            while (!requests.isEmpty() && !requests.element().ended.isAfter(next)) {
                var request = requests.remove();
                good += request.good ? 1 : 0;
                var settlement = settlement(request, hostFault);
                assertThat(frontier.settle(new CommitBatch(List.of(settlement), List.of()), next))
                        .isZero();
            }
            now = next;
        }
        return good;
    }

    private static Settlement settlement(Request request, HostFault hostFault) {
        var ended = request.ended;
        return request.good || hostFault == HostFault.SLOW
                ? Settlement.of(
                        request.lease, new Outcome.Done(true, 1), new HostSignal.Healthy(ended))
                : Settlement.of(
                        request.lease,
                        new Outcome.Retry(ended.plusSeconds(5), FailureCause.TIMEOUT),
                        new HostSignal.Failing(ended));
    }

    private static int number(Lease lease) {
        var name = lease.url().host();
        return Integer.parseInt(name.substring(1, name.indexOf('.')));
    }

    private static List<Candidate> pages(int host) {
        var pages = new ArrayList<Candidate>();
        for (var page = 0; page < LONG.toSeconds(); page++) {
            var url = URLS.parse("http://h" + host + ".example/" + page).orElseThrow();
            pages.add(new Candidate(url, Hop.LINK, 1, 0));
        }
        return pages;
    }

    private static CrawlSettings settings() {
        return new CrawlSettings(
                WORKERS,
                true,
                "orbweaver",
                true,
                new RetryPolicy(2, Duration.ofSeconds(5)),
                new CrawlSettings.Limits(Long.MAX_VALUE, Long.MAX_VALUE, Duration.ofDays(1)),
                Duration.ofMinutes(1),
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                10,
                1 << 20,
                new TrapSettings(false, 1));
    }
}
