package dev.orbweaver.internal.crawl;

import static dev.orbweaver.internal.crawl.VisitHarness.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.crawl.RobotsCache.RobotsState;
import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.robots.RobotsOutcome;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** The cache over days, restarts and with little memory, with the test's own clock. */
class RobotsCacheTest {

    private static final Path DIRECTORY = Path.of("/crawl");
    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final String PAGE = "http://a.test/page";
    private static final String PRIVATE = "http://a.test/private";
    private static final String DENY_PRIVATE = "user-agent: *\ncrawl-delay: 9\ndisallow: /private";

    private SimulatedDisk disk = new SimulatedDisk();
    private VisitHarness visitHarness = stage();

    private VisitHarness stage() {
        try {
            return new VisitHarness(RobotsLog.open(disk, DIRECTORY));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Kills the process and starts another one. */
    private void restart() {
        var now = visitHarness.now;
        disk = disk.afterCrash();
        visitHarness = stage();
        visitHarness.now = now;
    }

    @Test
    void aResumedCrawlKnowsTheRulesWithoutFetchingAgain() {
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        restart();
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(visitHarness.visit(PRIVATE).begin(visitHarness.now))
                .isInstanceOf(Step.Settle.class);
    }

    @Test
    void rulesAreFreshForADayAcrossRestarts() {
        var _ = visitHarness.robots(PAGE, 404, "");
        restart();
        visitHarness.advance(RobotsEntry.FRESH_FOR.minusSeconds(1));
        restart();
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
        visitHarness.advance(Duration.ofSeconds(1));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void theBackoffOfAnUnreachableFileDoublesAcrossRestarts() {
        for (var minutes : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            var end = (Step.Release) visitHarness.robots(PAGE, 500, "");
            var until = visitHarness.now.plus(Duration.ofMinutes(minutes));
            assertThat(end.reason())
                    .isEqualTo(new ReleaseReason.RobotsUnreachable(visitHarness.now, until));
            restart();
            assertThat(((Step.Release) visitHarness.visit(PAGE).begin(visitHarness.now)).reason())
                    .isEqualTo(new ReleaseReason.RobotsUnreachable(visitHarness.now, until));
            visitHarness.now = until;
        }
    }

    @Test
    void theLastGoodRulesHoldFor30DaysAcrossRestartsThenNothingIsAllowed() {
        var fetched = visitHarness.now;
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        for (var day = 1; day < 30; day++) {
            restart();
            visitHarness.now = fetched.plus(Duration.ofDays(day));
            var _ = visitHarness.robots(PAGE, day % 2 == 0 ? 503 : 429, "");
            restart();
            assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                    .isEqualTo(new Step.Resolve(url(PAGE)));
            assertThat(visitHarness.visit(PRIVATE).begin(visitHarness.now))
                    .isInstanceOf(Step.Settle.class);
        }
        visitHarness.now = fetched.plus(RobotsEntry.STALE_MAX);
        assertThat(((Step.Release) visitHarness.robots(PAGE, 503, "")).reason())
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        restart();
        assertThat(((Step.Release) visitHarness.visit(PAGE).begin(visitHarness.now)).reason())
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
    }

    @Test
    void oldRulesExpireAfter30DaysEvenWithALongerRetryAfter() {
        var fetched = visitHarness.now;
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        visitHarness.advance(Duration.ofDays(2));
        var _ =
                visitHarness.robots(
                        PAGE, 429, "", "Retry-After: " + Duration.ofDays(60).toSeconds());
        visitHarness.now = fetched.plus(RobotsEntry.STALE_MAX).minusSeconds(1);
        // Its Retry-After is shorter, so robots.txt is requested again.
        var _ =
                visitHarness.robots(
                        PAGE, 429, "", "Retry-After: " + Duration.ofDays(60).toSeconds());
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
        visitHarness.advance(Duration.ofSeconds(1));
        assertThat(((Step.Release) visitHarness.visit(PAGE).begin(visitHarness.now)).reason())
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        assertThat(visitHarness.visitContext.robots().cachedRules(url(PRIVATE), visitHarness.now))
                .isEmpty();
    }

    @Test
    void uncommittedEntriesAreFetchedAgain() {
        var visit = visitHarness.visit(PAGE);
        var asked = ((Step.Resolve) visit.begin(visitHarness.now)).url();
        var exchange = visitHarness.exchange(asked, 200, DENY_PRIVATE);
        var text = DENY_PRIVATE.getBytes(UTF_8);
        var _ = visit.robotsRead(exchange, new ContentReader.Content(text, text.length, false));
        restart();
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void aCrawlDelayHoldsForAllOriginsOfItsHostAcrossRestarts() {
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        restart();
        var other = (Step.Release) visitHarness.robots("https://a.test/", 404, "");
        assertThat(other.delay()).contains(Duration.ofSeconds(9));
        visitHarness.advance(RobotsEntry.FRESH_FOR);
        var lifted = (Step.Release) visitHarness.robots(PAGE, 404, "");
        assertThat(lifted.delay()).contains(Duration.ZERO);
        restart();
        assertThat(visitHarness.visitContext.robots().hostDelay(url(PAGE))).isZero();
    }

    @Test
    void aClockSetBackDoesNotMakeAFailureLastLonger() {
        var _ = visitHarness.robots(PAGE, 500, "");
        visitHarness.now = visitHarness.now.minus(Duration.ofHours(5));
        restart();
        assertThat(((Step.Release) visitHarness.visit(PAGE).begin(visitHarness.now)).reason())
                .isEqualTo(
                        new ReleaseReason.RobotsUnreachable(
                                visitHarness.now, visitHarness.now.plusSeconds(60)));
    }

    /** A wait that restarts at the first death ends, however often the process dies after that. */
    @Test
    void aClockSetBackDoesNotRestartTheBackoffAtEveryRestart() {
        var _ = visitHarness.robots(PAGE, 500, "");
        visitHarness.now = visitHarness.now.minus(Duration.ofHours(5));
        for (var seconds = 0; seconds < 60; seconds += 20) {
            restart();
            assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                    .isInstanceOf(Step.Release.class);
            visitHarness.now = visitHarness.now.plusSeconds(20);
        }
        restart();
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void onlyOneFetchesAtATimeEvenDuringABackoff() {
        var _ = visitHarness.robots(PAGE, 500, "");
        var told = (Step.End) visitHarness.visit(PAGE).begin(visitHarness.now);
        visitHarness.advance(Duration.ofMinutes(1));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isInstanceOf(Step.Resolve.class);
        visitHarness.visitContext.onCommitted(told);
        assertThat(((Step.Release) visitHarness.visit(PAGE).begin(visitHarness.now)).reason())
                .isInstanceOf(ReleaseReason.GateClosed.class);
    }

    @Test
    void aStoreThatFailsCostsNoMoreThanAskingAgain() {
        disk.failFrom(disk.operations() + 1);
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(visitHarness.visit(PRIVATE).begin(visitHarness.now))
                .isInstanceOf(Step.Settle.class);
        disk.failFrom(0);
        restart();
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void memoryIsBoundedAndEvictedEntriesAreReadFromTheFile() throws IOException {
        var known = new RobotsRulesCache(10, 5_000);
        var book = new RobotsCache(URLS, "orbweaver", RobotsLog.open(disk, DIRECTORY), known);
        var now = Instant.parse("2026-03-01T12:00:00Z");
        for (var i = 0; i < 500; i++) {
            respond(book, "http://h" + i + ".test/", "user-agent: *\ndisallow: /x" + i, now);
            assertThat(known.size()).isLessThanOrEqualTo(10);
        }
        for (var i = 0; i < 500; i++) {
            var robotsState = book.claim(url("http://h" + i + ".test/"), now.plusSeconds(i));
            assertThat(robotsState).isInstanceOf(RobotsState.Known.class);
            var rules = ((RobotsState.Known) robotsState).rules();
            assertThat(rules.evaluate("/x" + i).allowed()).isFalse();
            assertThat(rules.evaluate("/y").allowed()).isTrue();
            assertThat(known.size()).isLessThanOrEqualTo(10);
        }
    }

    @Test
    void fewOriginsWithHugeFilesAreForgottenToo() throws IOException {
        var known = new RobotsRulesCache(1000, 100_000);
        var book = new RobotsCache(URLS, "orbweaver", RobotsLog.open(disk, DIRECTORY), known);
        var now = Instant.parse("2026-03-01T12:00:00Z");
        var huge = "user-agent: *\n" + "disallow: /some/longish/path\n".repeat(1000);
        for (var i = 0; i < 50; i++) {
            respond(book, "http://h" + i + ".test/", huge, now);
        }
        assertThat(known.size()).isLessThan(5);
        assertThat(book.claim(url("http://h0.test/"), now)).isInstanceOf(RobotsState.Known.class);
    }

    @Test
    void hostsWithTheSameFileShareItsRules() {
        var book = new RobotsCache(URLS, "orbweaver", RobotsStore.NO_STORE);
        var now = Instant.parse("2026-03-01T12:00:00Z");
        respond(book, "http://a.test/", "user-agent: *\ndisallow: /x", now);
        respond(book, "http://b.test/", "user-agent: *\ndisallow: /x", now);
        respond(book, "http://c.test/", "user-agent: *\ndisallow: /y", now);
        var first = book.cachedRules(url("http://a.test/"), now).orElseThrow();
        assertThat(book.cachedRules(url("http://b.test/"), now)).containsSame(first);
        assertThat(book.cachedRules(url("http://c.test/"), now).orElseThrow()).isNotSameAs(first);
    }

    /** Claims, responds and commits. */
    private static void respond(RobotsCache book, String page, String text, Instant now) {
        var asked = ((RobotsState.MustFetch) book.claim(url(page), now)).url();
        var bytes = text.getBytes(UTF_8);
        var rules = RobotsRules.parse(bytes, bytes.length, "orbweaver");
        var robotsResponse =
                new RobotsCache.RobotsResponse(
                        new RobotsOutcome.Rules(rules), "status 200", bytes, now, Duration.ZERO);
        var _ = book.onResponse(url(page), asked, robotsResponse);
        book.activateRules(url(page));
        book.persist(url(page));
    }
}
