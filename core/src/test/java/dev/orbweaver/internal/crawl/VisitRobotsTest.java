package dev.orbweaver.internal.crawl;

import static dev.orbweaver.internal.crawl.VisitHarness.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.fetch.ContentReader;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.spi.Fetcher.Resolution;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

class VisitRobotsTest {

    private static final String PAGE = "http://a.test/page";
    private static final String DENY_PRIVATE = "user-agent: *\n\ndisallow: /private\n";

    private final VisitHarness visitHarness = new VisitHarness();

    @Test
    void robotsTxtOfAnUnknownHostIsFetchedFirst() {
        var step = visitHarness.visit("http://a.test:8080/x/y?z").begin(visitHarness.now);
        assertThat(step).isEqualTo(new Step.Resolve(url("http://a.test:8080/robots.txt")));
    }

    @Test
    void theVisitFetchesRobotsTxtAndReleasesTheUrlWithTheDelay() {
        var end = (Step.Release) visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(end.reason()).isEqualTo(new ReleaseReason.RobotsFetched(visitHarness.now));
        assertThat(end.lease().url()).isEqualTo(url(PAGE));
        var capture = end.capture().orElseThrow();
        assertThat(capture.kind()).isEqualTo(Kind.ROBOTS);
        assertThat(capture.url()).isEqualTo(url("http://a.test/robots.txt"));
    }

    @Test
    void onceTheRulesAreKnownTheNextVisitGoesToThePage() {
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @Test
    void aDeniedUrlIsWithdrawnWithoutARequestAndTheLineIsNamed() {
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        var end =
                (Step.Settle) visitHarness.visit("http://a.test/private/1").begin(visitHarness.now);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        assertThat(end.settlement().signal()).isEqualTo(new HostSignal.NoRequest());
        var capture = end.capture().orElseThrow();
        assertThat(capture.kind()).isEqualTo(Kind.WITHDRAWN);
        assertThat(capture.cause()).isEqualTo("robots");
        assertThat(capture.detail()).isEqualTo("line 3: Disallow: /private");
    }

    @Test
    void aNameThatIsNotFoundAtFirstDoesNotHideThatRobotsDenies() {
        var first = visitHarness.visit("http://a.test/private/1");
        var _ = first.begin(visitHarness.now);
        var failed =
                (Step.Settle) first.resolved(new Resolution.NotFound("gone"), visitHarness.now);
        assertThat(failed.settlement().outcome()).isInstanceOf(Outcome.Retry.class);
        visitHarness.advance(Duration.ofMinutes(1));
        var _ = visitHarness.robots("http://a.test/private/1", 200, DENY_PRIVATE);
        var end =
                (Step.Settle) visitHarness.visit("http://a.test/private/1").begin(visitHarness.now);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        assertThat(end.capture().orElseThrow().cause()).isEqualTo("robots");
    }

    @Test
    void ignoredRobotsTxtIsNotFetched() {
        var ignoring = new VisitHarness(false, true);
        assertThat(ignoring.visit(PAGE).begin(ignoring.now)).isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 410, 451})
    void noSuchFileAllowsEverything(int status) {
        assertThat(((Step.Release) visitHarness.robots(PAGE, status, "disallow: /")).reason())
                .isEqualTo(new ReleaseReason.RobotsFetched(visitHarness.now));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503, 599, 304, 100})
    void aServerThatCannotSayIsLeftAloneForAMinute(int status) {
        var end = (Step.Release) visitHarness.robots(PAGE, status, "");
        var until = visitHarness.now.plusSeconds(60);
        assertThat(end.reason())
                .isEqualTo(new ReleaseReason.RobotsUnreachable(visitHarness.now, until));
        var asked = visitHarness.now;
        visitHarness.advance(Duration.ofSeconds(59));
        assertThat(((Step.Release) visitHarness.visit(PAGE).begin(visitHarness.now)).reason())
                .isEqualTo(new ReleaseReason.RobotsUnreachable(asked, until));
    }

    @Test
    void theWaitForRobotsDoublesUpToAnHour() {
        for (var minutes : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            var end = (Step.Release) visitHarness.robots(PAGE, 500, "");
            var until = visitHarness.now.plus(Duration.ofMinutes(minutes));
            assertThat(end.reason())
                    .isEqualTo(new ReleaseReason.RobotsUnreachable(visitHarness.now, until));
            visitHarness.now = until;
        }
        var _ = visitHarness.robots(PAGE, 404, "");
        visitHarness.advance(Duration.ofHours(24));
        var _ = visitHarness.robots(PAGE, 500, "");
        assertThat(
                        visitHarness
                                .visitContext
                                .robots()
                                .claim(url(PAGE), visitHarness.now.plusSeconds(60)))
                .as("a response in between resets the count")
                .isInstanceOf(RobotsCache.RobotsState.MustFetch.class);
    }

    @Test
    void retryAfterOfRobotsTxtIsHonoured() {
        var end = (Step.Release) visitHarness.robots(PAGE, 503, "", "Retry-After: 600");
        assertThat(end.reason())
                .isEqualTo(
                        new ReleaseReason.RobotsUnreachable(
                                visitHarness.now, visitHarness.now.plusSeconds(600)));
    }

    @Test
    void rulesAreFetchedAgainAfterADay() {
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        visitHarness.advance(Duration.ofHours(24).minusSeconds(1));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
        visitHarness.advance(Duration.ofSeconds(1));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void oldRulesStandFor30DaysWhenNoNewOnesCanBeHad() {
        var fetched = visitHarness.now;
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        visitHarness.advance(Duration.ofDays(29));
        var end = (Step.Release) visitHarness.robots(PAGE, 503, "");
        assertThat(end.reason()).isEqualTo(new ReleaseReason.RobotsFetched(visitHarness.now));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(visitHarness.visit("http://a.test/private").begin(visitHarness.now))
                .isInstanceOf(Step.Settle.class);
        visitHarness.now = fetched.plus(Duration.ofDays(30));
        assertThat(((Step.Release) visitHarness.robots(PAGE, 503, "")).reason())
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
    }

    @Test
    void linksAreNotRefusedByExpiredRules() {
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        var link = url("http://a.test/private");
        assertThat(visitHarness.visitContext.refusal(link, Hop.LINK, 1, visitHarness.now))
                .contains(Refusal.ROBOTS);
        assertThat(
                        visitHarness.visitContext.refusal(
                                link, Hop.LINK, 1, visitHarness.now.plus(Duration.ofDays(2))))
                .isEmpty();
    }

    @Test
    void eachLinkOfAPageIsCheckedByTheRulesOfItsOwnOrigin() {
        var _ = visitHarness.robots(PAGE, 200, DENY_PRIVATE);
        var _ = visitHarness.robots("http://a.test:8080/", 200, "user-agent: *\ndisallow: /open");
        var links =
                Stream.of(
                                "http://a.test/private",
                                "http://a.test:8080/private",
                                "http://a.test:8080/open",
                                "http://a.test/open",
                                "http://a.test:808/private",
                                "http://a.test/private/2",
                                "https://a.test/private")
                        .map(text -> new Link(url(text), LinkKind.ANCHOR, false))
                        .toList();
        var found =
                visitHarness
                        .visitContext
                        .classifyLinks(new Page("", "", links, false, false), 0, visitHarness.now)
                        .found();
        assertThat(found.stream().map(it -> it.url().text()))
                .containsExactly(
                        "http://a.test:8080/private",
                        "http://a.test/open",
                        "http://a.test:808/private",
                        "https://a.test/private");
    }

    @Test
    void fiveRedirectsAreFollowedAndTheRulesAreThoseOfTheFirstHost() {
        for (var i = 1; i <= 5; i++) {
            var target = "http://h" + i + ".test/robots.txt";
            var end = (Step.Release) visitHarness.robots(PAGE, 302, "", "Location: " + target);
            assertThat(end.reason()).isEqualTo(new ReleaseReason.RobotsFetched(visitHarness.now));
            assertThat(end.delay()).isEmpty();
        }
        var visit = visitHarness.visit(PAGE);
        assertThat(visit.begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url("http://h5.test/robots.txt")));
        var _ =
                visitHarness.respondRobots(
                        visit, url("http://h5.test/robots.txt"), 200, DENY_PRIVATE);
        assertThat(visitHarness.visit("http://a.test/private").begin(visitHarness.now))
                .isInstanceOf(Step.Settle.class);
        assertThat(visitHarness.visit("http://h5.test/private").begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url("http://h5.test/robots.txt")));
    }

    @Test
    void theSixthRedirectIsTakenForNoFileAtAll() {
        for (var i = 0; i < 6; i++) {
            var _ = visitHarness.robots(PAGE, 301, "", "Location: /robots" + i + ".txt");
        }
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://", "mailto:x@a.test", "http://a b/"})
    void aRedirectToNowhereIsNoPermission(String location) {
        var end = (Step.Release) visitHarness.robots(PAGE, 301, "", "Location: " + location);
        assertThat(end.reason()).isInstanceOf(ReleaseReason.RobotsUnreachable.class);
    }

    @Test
    void aHostElsewhereThatCannotBeReachedMakesRobotsUnreachableNotTheUrlDead() {
        for (var resolution :
                new Resolution[] {
                    new Resolution.NotFound("no such name"), new Resolution.Forbidden("private")
                }) {
            var fresh = new VisitHarness();
            var _ = fresh.robots(PAGE, 301, "", "Location: http://b.test/r");
            var visit = fresh.visit(PAGE);
            var _ = visit.begin(fresh.now);
            var end = (Step.Release) visit.resolved(resolution, fresh.now);
            assertThat(end.reason()).isInstanceOf(ReleaseReason.RobotsUnreachable.class);
            fresh.advance(Duration.ofMinutes(1));
            assertThat(fresh.visit(PAGE).begin(fresh.now))
                    .as("it starts at the host's own file again")
                    .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
        }
    }

    @ParameterizedTest
    @CsvSource({"CONNECT, true", "TLS, true", "TIMEOUT, false", "DISCONNECT, false"})
    void withoutAConnectionTheUrlItselfHasFailed(FailureCause cause, boolean ofTheUrl) {
        var visit = visitHarness.visit(PAGE);
        var _ = visit.begin(visitHarness.now);
        var end = visitHarness.failure(visit, cause);
        if (ofTheUrl) {
            var settlement = ((Step.Settle) end).settlement();
            assertThat(settlement.outcome())
                    .isEqualTo(
                            new Outcome.Retry(
                                    visitHarness.now.plus(VisitHarness.FIRST_RETRY), cause));
            assertThat(settlement.signal()).isEqualTo(new HostSignal.Failing(visitHarness.now));
        } else {
            assertThat(((Step.Release) end).reason())
                    .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureCause.class,
            names = {"CONNECT", "TLS", "TIMEOUT", "DISCONNECT", "MALFORMED"})
    void aGuessedSchemeIsGivenUpWhenRobotsCannotBeHad(FailureCause cause) {
        var visit = visitHarness.withHop(Hop.GUESSED_SEED).visit("https://a.test/");
        var _ = visit.begin(visitHarness.now);
        var end = (Step.Settle) visitHarness.failure(visit, cause);
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.Withdrawn(Refusal.SCHEME_GUESS));
        assertThat(end.settlement().signal())
                .isEqualTo(new HostSignal.Inconclusive(visitHarness.now));
        assertThat(end.settlement().outlinks())
                .containsExactly(Candidate.seed(url("http://a.test/"), false));
        assertClaimReleased("https://a.test/");
    }

    @Test
    void rulesCountForOthersOnlyOnceTheirDelayIsInForce() {
        var visit = visitHarness.visit(PAGE);
        var asked = ((Step.Resolve) visit.begin(visitHarness.now)).url();
        var exchange = visitHarness.exchange(asked, 200, "");
        var _ = visit.fetched(new FetchResult.Fetched(exchange), visitHarness.now);
        var _ = visit.robotsRead(exchange, new ContentReader.Content(new byte[0], 0, false));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isInstanceOf(Step.Release.class);
        visitHarness.visitContext.robots().activateRules(url(PAGE));
        assertThat(visitHarness.visit(PAGE).begin(visitHarness.now))
                .isInstanceOf(Step.Resolve.class);
    }

    @Test
    void theDelayThatRobotsAskForIsHandedOn() {
        var end =
                (Step.Release)
                        visitHarness.robots(PAGE, 200, "user-agent: *\ncrawl-delay: 7\nallow: /");
        assertThat(end.delay()).contains(Duration.ofSeconds(7));
        var other = (Step.Release) visitHarness.robots("https://a.test/", 200, DENY_PRIVATE);
        assertThat(other.delay())
                .as("another origin of the host does not lift the delay of this one")
                .contains(Duration.ofSeconds(7));
        var elsewhere = (Step.Release) visitHarness.robots("http://b.test/", 200, DENY_PRIVATE);
        assertThat(elsewhere.delay()).contains(Duration.ZERO);
    }

    @Test
    void sitemapsThatBelongToTheCrawlAreOffered() {
        var text =
                """
                sitemap: /map.xml
                sitemap: https://a.test/tls.xml
                sitemap: http://elsewhere.test/map.xml
                sitemap: http://
                user-agent: *
                disallow: /tls
                """;
        var end = (Step.Release) visitHarness.robots(PAGE, 200, text);
        assertThat(end.found())
                .containsExactly(
                        new Candidate(url("http://a.test/map.xml"), Hop.SITEMAP, 0, 0),
                        new Candidate(url("https://a.test/tls.xml"), Hop.SITEMAP, 0, 0));
        var without = new VisitHarness(true, false);
        assertThat(((Step.Release) without.robots(PAGE, 200, text)).found()).isEmpty();
    }

    @Test
    void otherVisitsWaitWhileOneFetchesRobotsTxt() {
        var _ = visitHarness.visit(PAGE).begin(visitHarness.now);
        var end = (Step.Release) visitHarness.visit(PAGE).begin(visitHarness.now);
        assertThat(end.reason())
                .isEqualTo(new ReleaseReason.GateClosed(visitHarness.now.plusMillis(50)));
    }

    @Test
    void theDutyToAskIsGivenBackOnEveryWayOut() {
        var gate = robotsVisit();
        var passGates =
                (Step.PassGates)
                        gate.resolved(new Resolution.Found(VisitHarness.ADDRESS), visitHarness.now);
        assertThat(((Step.Release) gate.passed(passGates, Optional.of(Instant.MAX))).reason())
                .isEqualTo(new ReleaseReason.GateClosed(Instant.MAX));
        assertClaimReleased(PAGE);

        assertThat(robotsVisit().resolved(new Resolution.NotFound("gone"), visitHarness.now))
                .isInstanceOf(Step.Settle.class);
        assertClaimReleased(PAGE);
        assertThat(robotsVisit().resolved(new Resolution.Forbidden("private"), visitHarness.now))
                .isInstanceOf(Step.Settle.class);
        assertClaimReleased(PAGE);
        for (var cause : FailureCause.values()) {
            var _ = visitHarness.failure(robotsVisit(), cause);
            assertClaimReleased(PAGE);
        }
        var _ = robotsVisit().internalError(new IllegalStateException("a bug"), visitHarness.now);
        assertClaimReleased(PAGE);
        var refused = new FetchResult.Refused(url(PAGE), "too large");
        assertThat(((Step.Release) robotsVisit().fetched(refused, visitHarness.now)).reason())
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        assertClaimReleased(PAGE);
        var lost = new FetchResult.NoResponse(url(PAGE), visitHarness.now);
        assertThat(((Step.Release) robotsVisit().fetched(lost, visitHarness.now)).reason())
                .isEqualTo(new ReleaseReason.NoResponse(visitHarness.now));
        assertClaimReleased(PAGE);
        for (var status : new int[] {301, 500}) {
            var _ = visitHarness.robots(PAGE, status, "", "Location: /elsewhere.txt");
            assertClaimReleased(PAGE);
        }
    }

    private Visit robotsVisit() {
        var visit = visitHarness.visit(PAGE);
        assertThat(visit.begin(visitHarness.now)).isInstanceOf(Step.Resolve.class);
        return visit;
    }

    /** Checks that the origin can be claimed again, now or after a wait. */
    private void assertClaimReleased(String page) {
        visitHarness.advance(Duration.ofHours(2));
        var claim = visitHarness.visitContext.robots().claim(url(page), visitHarness.now);
        assertThat(claim).isInstanceOf(RobotsCache.RobotsState.MustFetch.class);
        visitHarness.visitContext.robots().releaseClaim(url(page));
    }

    @Test
    void aFileThatCannotBeDecodedIsAsUnreachableAsOneThatWasNotSent() throws IOException {
        var gzip = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(gzip)) {
            out.write("User-agent: *\nAllow: /\n".getBytes(UTF_8));
        }
        var whole = gzip.toByteArray();
        assertThat(readRobots(whole, "gzip")).isInstanceOf(ReleaseReason.RobotsFetched.class);
        assertThat(readRobots(new byte[0], "gzip")).isInstanceOf(ReleaseReason.RobotsFetched.class);
        assertThat(readRobots("Allow: /".getBytes(UTF_8), "utf-8"))
                .isInstanceOf(ReleaseReason.RobotsFetched.class);
        assertThat(readRobots("Allow: /".getBytes(UTF_8), "gzip"))
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        assertThat(readRobots(Arrays.copyOf(whole, whole.length - 12), "gzip"))
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        assertThat(readRobots("Allow: /".getBytes(UTF_8), "compress"))
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
        assertThat(readRobots(whole, "gzip, gzip, gzip, gzip"))
                .isInstanceOf(ReleaseReason.RobotsUnreachable.class);
    }

    private static ReleaseReason readRobots(byte[] body, String coding) throws IOException {
        var visitHarness = new VisitHarness();
        var visit = visitHarness.visit(PAGE);
        var asked = ((Step.Resolve) visit.begin(visitHarness.now)).url();
        var sent = visitHarness.exchange(asked, 200, "", "Content-Encoding: " + coding);
        var exchange =
                new Exchange(
                        sent.url(),
                        sent.requestHead(),
                        sent.head(),
                        new Body.InMemory(body, body.length),
                        sent.remote(),
                        sent.timings(),
                        sent.truncated());
        var _ = visit.fetched(new FetchResult.Fetched(exchange), visitHarness.now);
        var content = ContentReader.read(exchange, RobotsRules.BYTES_MAX);
        return ((Step.Release) visit.robotsRead(exchange, content)).reason();
    }

    @Test
    void manyWildcardsAgainstManyLinksAreJudgedWithBoundedWork() {
        var file = new StringBuilder("User-agent: *\nDisallow: /*secret\n");
        for (var i = 0; i < 30_000; i++) {
            file.append("Disallow: /*a*b").append(i).append("\n");
        }
        var _ = visitHarness.robots(PAGE, 200, file.toString());
        var links = new ArrayList<Link>();
        for (var i = 0; i < 2_000; i++) {
            links.add(new Link(url("http://a.test/aaaa" + i + "/secret"), LinkKind.ANCHOR, false));
        }
        var cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        var classifiedLinks =
                visitHarness.visitContext.classifyLinks(
                        new Page("", "", links, false, false), 0, visitHarness.now);
        var spent = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
        assertThat(Duration.ofNanos(spent)).isLessThan(Duration.ofSeconds(5));
        // The first ones are checked now, the others when they are leased.
        assertThat(classifiedLinks.refused().getOrDefault(Refusal.ROBOTS, 0)).isBetween(10, 1_990);
        assertThat(
                        classifiedLinks.found().size()
                                + classifiedLinks.refused().values().stream()
                                        .mapToInt(x -> x)
                                        .sum())
                .isEqualTo(2_000);
        var last = visitHarness.visit(classifiedLinks.found().getLast().url().text());
        assertThat(((Step.Settle) last.begin(visitHarness.now)).settlement().outcome())
                .isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        var costly = visitHarness.visit("http://a.test/" + "a".repeat(4_000));
        var refused = (Step.Settle) costly.begin(visitHarness.now);
        assertThat(refused.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        assertThat(refused.capture().orElseThrow().detail())
                .isEqualTo("line 0: matching this path against the wildcard rules costs too much");
    }
}
