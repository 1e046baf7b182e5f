package dev.orbweaver.internal.crawl;

import static dev.orbweaver.internal.crawl.VisitHarness.url;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.model.Capture.Kind;
import dev.orbweaver.model.CaptureRef;
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

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class VisitPageTest {

    private static final String PAGE = "http://a.test/page";

    private final VisitHarness visitHarness = new VisitHarness(false, true);

    @Test
    void aVisitResolvesPassesTheGatesAndFetchesThatVeryAddress() {
        var visit = visitHarness.fetching(PAGE);
        var pass = visit.resolved(new Resolution.Found(VisitHarness.ADDRESS), visitHarness.now);
        assertThat(pass).isEqualTo(new Step.PassGates(url(PAGE), VisitHarness.ADDRESS));
        assertThat(visit.passed((Step.PassGates) pass, Optional.empty()))
                .isEqualTo(new Step.Fetch(url(PAGE), VisitHarness.ADDRESS));
    }

    @Test
    void aClosedGateSendsTheUrlBack() {
        var visit = visitHarness.fetching(PAGE);
        var until = visitHarness.now.plusSeconds(3);
        var passGates = new Step.PassGates(url(PAGE), VisitHarness.ADDRESS);
        assertThat(visit.passed(passGates, Optional.of(until)))
                .isEqualTo(
                        new Step.Release(
                                ((Step.Release) visit.passed(passGates, Optional.of(until)))
                                        .lease(),
                                new ReleaseReason.GateClosed(until),
                                Optional.empty(),
                                List.of(),
                                Optional.empty()));
    }

    @Test
    void aDocumentIsParsedAndItsLinksAreSorted() {
        var visit = visitHarness.fetching(PAGE);
        var parse = (Step.Parse) visitHarness.page(visit, PAGE, 200);
        var page =
                new Page(
                        "title",
                        "UTF-8",
                        List.of(
                                new Link(url("http://a.test/1"), LinkKind.ANCHOR, false),
                                new Link(url("http://a.test/2"), LinkKind.FRAME, true),
                                new Link(url("http://b.test/"), LinkKind.ANCHOR, false),
                                new Link(url("http://a.test/i.png"), LinkKind.REQUISITE, false)),
                        false,
                        false);
        var end = (Step.Settle) visit.parsed(parse.exchange(), page);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Done(true, 0));
        assertThat(end.settlement().signal())
                .isEqualTo(new HostSignal.Healthy(visitHarness.now, VisitHarness.TOOK));
        assertThat(end.settlement().outlinks())
                .containsExactly(
                        new Candidate(url("http://a.test/1"), Hop.LINK, 3, 0),
                        new Candidate(url("http://a.test/2"), Hop.LINK, 3, 0));
        assertThat(end.settlement().refusedLinks())
                .isEqualTo(Map.of(Refusal.SCOPE, 1, Refusal.REQUISITE, 1));
        var capture = end.capture().orElseThrow();
        assertThat(capture.kind()).isEqualTo(Kind.PAGE);
        assertThat(capture.page()).isEqualTo(page);
        assertThat(capture.depth()).isEqualTo(2);
        assertThat(capture.parent()).isEqualTo(CaptureRef.ofLine(3));
        assertThat(capture.time()).isEqualTo(visitHarness.now.minus(VisitHarness.TOOK));
    }

    @Test
    void aNofollowPageIsStoredAndItsLinksAreCountedAsRefused() {
        var visit = visitHarness.fetching(PAGE);
        var parse = (Step.Parse) visitHarness.page(visit, PAGE, 200);
        var links = List.of(new Link(url("http://a.test/1"), LinkKind.ANCHOR, false));
        var end =
                (Step.Settle) visit.parsed(parse.exchange(), new Page("", "", links, true, false));
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Done(true, 0));
        assertThat(end.settlement().outlinks()).isEmpty();
        assertThat(end.settlement().refusedLinks()).isEqualTo(Map.of(Refusal.NOFOLLOW, 1));
    }

    @Test
    void aSitemapIsNoPageAndItsEntriesAreLinksOfTheNextLevel() {
        var visit = visitHarness.withHop(Hop.SITEMAP).fetching("http://a.test/map.xml");
        var parse = (Step.Parse) visitHarness.page(visit, "http://a.test/map.xml", 200);
        var links =
                List.of(
                        new Link(url("http://a.test/1"), LinkKind.ENTRY, false),
                        new Link(url("http://a.test/more.xml"), LinkKind.SITEMAP, false));
        var end =
                (Step.Settle) visit.parsed(parse.exchange(), new Page("", "", links, false, false));
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Done(false, 0));
        assertThat(end.capture().orElseThrow().kind()).isEqualTo(Kind.SITEMAP);
        assertThat(end.settlement().outlinks())
                .containsExactly(
                        new Candidate(url("http://a.test/1"), Hop.LINK, 3, 0),
                        new Candidate(url("http://a.test/more.xml"), Hop.SITEMAP, 2, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 404, 410, 418, 300, 199})
    void otherResponsesAreFinal(int status) {
        var end = (Step.Settle) visitHarness.page(visitHarness.fetching(PAGE), PAGE, status);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Done(false, 0));
        assertThat(end.capture().orElseThrow().kind()).isEqualTo(Kind.ERROR);
    }

    @Test
    void aRedirectKeepsTheDepthAndCountsTheHop() {
        var visit = visitHarness.withRedirects(1).fetching(PAGE);
        var end = (Step.Settle) visitHarness.redirect(visit, PAGE, "/other?x#part");
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Done(false, 0));
        assertThat(end.settlement().outlinks())
                .containsExactly(new Candidate(url("http://a.test/other?x"), Hop.REDIRECT, 2, 2));
        assertThat(end.capture().orElseThrow().kind()).isEqualTo(Kind.REDIRECT);
    }

    @Test
    void aRedirectOutOfTheScopeIsRefusedUnlessASeedIsRedirected() {
        var link =
                (Step.Settle)
                        visitHarness.redirect(
                                visitHarness.fetching(PAGE), PAGE, "http://www.a.test/");
        assertThat(link.settlement().outlinks()).isEmpty();
        assertThat(link.settlement().refusedLinks()).isEqualTo(Map.of(Refusal.SCOPE, 1));

        var seed = visitHarness.withHop(Hop.SEED).fetching("http://a.test/");
        var end =
                (Step.Settle) visitHarness.redirect(seed, "http://a.test/", "https://www.a.test/");
        assertThat(end.settlement().outlinks())
                .containsExactly(new Candidate(url("https://www.a.test/"), Hop.SEED, 2, 1));
        assertThat(
                        visitHarness.visitContext.refusal(
                                url("http://www.a.test/x"), Hop.LINK, 1, visitHarness.now))
                .as("the target of the redirected seed is in scope")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "SEED, SEED",
        "GUESSED_SEED, SEED",
        "LINK, REDIRECT",
        "REDIRECT, REDIRECT",
        "SITEMAP, SITEMAP"
    })
    void whatIsRedirectedStaysWhatItIs(Hop from, Hop to) {
        var end =
                (Step.Settle)
                        visitHarness.redirect(
                                visitHarness.withHop(from).fetching(PAGE), PAGE, "/there");
        assertThat(end.settlement().outlinks().getFirst().hop()).isEqualTo(to);
    }

    @Test
    void aRedirectThatRobotsForbidIsCountedAsRefused() {
        var obeying = new VisitHarness();
        var _ = obeying.robots(PAGE, 200, "user-agent: *\ndisallow: /private");
        var visit = obeying.visit(PAGE);
        var _ = visit.begin(obeying.now);
        var end = (Step.Settle) obeying.redirect(visit, PAGE, "/private");
        assertThat(end.settlement().refusedLinks()).isEqualTo(Map.of(Refusal.ROBOTS, 1));
    }

    @Test
    void aRedirectToItselfIsALoop() {
        assertLoop(visitHarness.redirect(visitHarness.fetching(PAGE), PAGE, "/page#top"));
    }

    @Test
    void tooManyRedirectsAreALoop() {
        assertThat(visitHarness.redirect(visitHarness.withRedirects(2).fetching(PAGE), PAGE, "/x"))
                .isInstanceOfSatisfying(
                        Step.Settle.class,
                        end -> assertThat(end.settlement().outlinks()).hasSize(1));
        assertLoop(visitHarness.redirect(visitHarness.withRedirects(3).fetching(PAGE), PAGE, "/x"));
    }

    @Test
    void aRedirectToTheSameKeyIsFetchedOnceAndThenALoop() {
        var plain = "http://a.test/a/b";
        var escaped = "http://a.test/a/%62";
        assertThat(url(plain).key()).isEqualTo(url(escaped).key());
        var end = (Step.Settle) visitHarness.redirect(visitHarness.fetching(plain), plain, escaped);
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.EquivalentRedirect(url(escaped)));
        assertThat(end.capture().orElseThrow().kind()).isEqualTo(Kind.REDIRECT);
        assertLoop(
                visitHarness.redirect(visitHarness.respelled().fetching(escaped), escaped, plain));
    }

    @Test
    void aRespelledUrlMayBeRedirectedToAnotherOne() {
        var end =
                (Step.Settle)
                        visitHarness.redirect(
                                visitHarness.respelled().fetching(PAGE), PAGE, "/new");
        assertThat(end.settlement().outlinks()).hasSize(1);
    }

    private static void assertLoop(Step step) {
        var end = (Step.Settle) step;
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.Dead(FailureCause.REDIRECT_LOOP));
        var capture = end.capture().orElseThrow();
        assertThat(capture.cause()).isEqualTo("redirect-loop");
        assertThat(capture.exchange()).isPresent();
        assertThat(end.settlement().signal()).isInstanceOf(HostSignal.Healthy.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://", "javascript:void(0)", "ftp://a.test/", "http://a.test:99999/"})
    void aRedirectWithoutAValidTargetIsFinal(String location) {
        var end = (Step.Settle) visitHarness.redirect(visitHarness.fetching(PAGE), PAGE, location);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Done(false, 0));
        assertThat(end.capture().orElseThrow().kind()).isEqualTo(Kind.ERROR);
        assertThat(end.settlement().outlinks()).isEmpty();
    }

    private HostSignal slow(Instant until, boolean said, boolean failing, boolean repeated) {
        var error = new HostSignal.ServerError(visitHarness.now, repeated);
        return new HostSignal.RateLimited(
                visitHarness.now, until, said, failing ? Optional.of(error) : Optional.empty());
    }

    @Test
    void aPageThatFailsAgainShowsNothingNewOfItsHost() {
        var end =
                (Step.Settle)
                        visitHarness.page(visitHarness.withAttempts(1).fetching(PAGE), PAGE, 500);
        assertThat(end.settlement().signal())
                .isEqualTo(new HostSignal.ServerError(visitHarness.now, true));
    }

    @ParameterizedTest
    @CsvSource({"500, false", "502, false", "504, false", "599, false", "503, true", "429, true"})
    void aServerErrorIsTriedAgainAndOnlySomeAskTheHostForQuiet(int status, boolean quiet) {
        var end = (Step.Settle) visitHarness.page(visitHarness.fetching(PAGE), PAGE, status);
        var again = visitHarness.now.plus(VisitHarness.FIRST_RETRY);
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.Retry(again, FailureCause.SERVER_ERROR));
        assertThat(end.settlement().signal())
                .isEqualTo(
                        quiet
                                ? slow(again, false, status == 503, false)
                                : new HostSignal.ServerError(visitHarness.now));
        var capture = end.capture().orElseThrow();
        assertThat(capture.kind()).as("an attempt that is retried").isEqualTo(Kind.RETRIED);
        assertThat(capture.exchange()).as("only the last response is stored").isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "120 | 120 | true",
                "2 | 5 | true",
                "Sun, 01 Mar 2026 12:10:00 GMT | 600 | true",
                "Sunday, 01-Mar-26 12:10:00 GMT | 600 | true",
                "Sun Mar  1 12:10:00 2026 | 600 | true",
                "Sun, 01 Mar 2026 11:00:00 GMT | 5 | false",
                "soon | 5 | false",
                "-7 | 5 | false",
                "'' | 5 | false"
            })
    void theServersRetryAfterIsHonouredWhenItIsLongerThanOurOwn(
            String field, long seconds, boolean said) {
        var end =
                (Step.Settle)
                        visitHarness.page(
                                visitHarness.fetching(PAGE), PAGE, 503, "Retry-After: " + field);
        var again = visitHarness.now.plusSeconds(seconds);
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.Retry(again, FailureCause.SERVER_ERROR));
        assertThat(end.settlement().signal()).isEqualTo(slow(again, said, true, false));
    }

    @Test
    void afterTheLastRetryTheResponseIsRecordedWithItsTime() {
        var visit = visitHarness.withAttempts(2).fetching(PAGE);
        var end = (Step.Settle) visitHarness.page(visit, PAGE, 503, "Retry-After: 3600");
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.Dead(FailureCause.SERVER_ERROR));
        assertThat(end.settlement().signal())
                .isEqualTo(slow(visitHarness.now.plusSeconds(3600), true, true, true));
        var capture = end.capture().orElseThrow();
        assertThat(capture.kind()).isEqualTo(Kind.FAILED);
        assertThat(capture.exchange()).isPresent();
        assertThat(capture.detail()).isEqualTo("status 503");
        assertThat(capture.time()).isEqualTo(visitHarness.now);
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureCause.class,
            names = {"CONNECT", "TLS", "TIMEOUT", "DISCONNECT"})
    void whatMayPassIsTriedAgainLaterAndLater(FailureCause cause) {
        for (var seconds : List.of(5, 30)) {
            var end = (Step.Settle) visitHarness.failure(visitHarness.fetching(PAGE), cause);
            assertThat(end.settlement().outcome())
                    .isEqualTo(new Outcome.Retry(visitHarness.now.plusSeconds(seconds), cause));
            assertThat(end.settlement().signal())
                    .isEqualTo(new HostSignal.Failing(visitHarness.now));
            var _ = visitHarness.withAttempts(1);
        }
        var end =
                (Step.Settle)
                        visitHarness.withAttempts(2).failure(visitHarness.fetching(PAGE), cause);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Dead(cause));
        assertThat(end.capture().orElseThrow().detail()).isEqualTo("so it is");
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureCause.class,
            names = {"MALFORMED", "LIMIT"})
    void whatWillNotPassIsGivenUpAtOnce(FailureCause cause) {
        var end = (Step.Settle) visitHarness.failure(visitHarness.fetching(PAGE), cause);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Dead(cause));
    }

    @Test
    void aNameThatDoesNotResolveIsTriedAgain() {
        var end =
                (Step.Settle)
                        visitHarness
                                .fetching(PAGE)
                                .resolved(new Resolution.NotFound("none"), visitHarness.now);
        assertThat(end.settlement().outcome())
                .isEqualTo(
                        new Outcome.Retry(
                                visitHarness.now.plus(VisitHarness.FIRST_RETRY), FailureCause.DNS));
        assertThat(end.settlement().signal()).isEqualTo(new HostSignal.Failing(visitHarness.now));
    }

    @Test
    void anAddressThatMustNotBeDialledWithdrawsTheUrl() {
        var end =
                (Step.Settle)
                        visitHarness
                                .fetching(PAGE)
                                .resolved(new Resolution.Forbidden("10.0.0.1"), visitHarness.now);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.ADDRESS));
        assertThat(end.capture().orElseThrow().detail()).isEqualTo("10.0.0.1");
    }

    @Test
    void aResponseRejectedByItsHeadWithdrawsTheUrl() {
        var refused = new FetchResult.Refused(url(PAGE), "video/mp4");
        var end = (Step.Settle) visitHarness.fetching(PAGE).fetched(refused, visitHarness.now);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.CONTENT));
        // A request was sent, so the host's delay runs.
        assertThat(end.settlement().signal()).isEqualTo(new HostSignal.Healthy(visitHarness.now));
    }

    @Test
    void aRequestLostWithAKeptConnectionIsNoTryButTheDelayRuns() {
        var lost = new FetchResult.NoResponse(url(PAGE), visitHarness.now);
        var end =
                (Step.Release)
                        visitHarness.withAttempts(2).fetching(PAGE).fetched(lost, visitHarness.now);
        assertThat(end.reason()).isEqualTo(new ReleaseReason.NoResponse(visitHarness.now));
        assertThat(end.capture()).isEmpty();
    }

    @Test
    void aSeedWithAGuessedSchemeFallsBackToHttp() {
        var visit = visitHarness.withHop(Hop.GUESSED_SEED).fetching("https://a.test:8443/x?y");
        var end = (Step.Settle) visitHarness.failure(visit, FailureCause.TLS);
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.Withdrawn(Refusal.SCHEME_GUESS));
        assertThat(end.settlement().signal())
                .isEqualTo(new HostSignal.Inconclusive(visitHarness.now));
        assertThat(end.settlement().outlinks())
                .containsExactly(Candidate.seed(url("http://a.test:8443/x?y"), false));
        assertThat(end.capture().orElseThrow().detail()).isEqualTo("tls: so it is");
    }

    @Test
    void aGuessedSchemeIsKeptAfterADnsFailureOrAResponse() {
        var name =
                (Step.Settle)
                        visitHarness
                                .withHop(Hop.GUESSED_SEED)
                                .fetching("https://a.test/")
                                .resolved(new Resolution.NotFound("none"), visitHarness.now);
        assertThat(name.settlement().outcome()).isInstanceOf(Outcome.Retry.class);
        var answer =
                (Step.Settle)
                        visitHarness.page(
                                visitHarness.fetching("https://a.test/"), "https://a.test/", 500);
        assertThat(answer.settlement().outcome()).isInstanceOf(Outcome.Retry.class);
    }

    @Test
    void anErrorOfOurOwnIsRecordedAgainstTheUrl() {
        var end =
                (Step.Settle)
                        visitHarness
                                .fetching(PAGE)
                                .internalError(new IllegalStateException("x"), visitHarness.now);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Dead(FailureCause.INTERNAL));
        assertThat(end.capture().orElseThrow().detail())
                .isEqualTo("java.lang.IllegalStateException: x");
    }

    @Test
    void retryDelaysGrowSixfoldUpToAnHourAndNeverShrinkTheSetting() {
        var policy = new RetryPolicy(10, Duration.ofSeconds(5));
        assertThat(List.of(0, 1, 2, 3, 4, 9).stream().map(policy::retryDelay).map(Optional::get))
                .extracting(Duration::toSeconds)
                .containsExactly(5L, 30L, 180L, 1080L, 3600L, 3600L);
        assertThat(policy.retryDelay(10)).isEmpty();
        assertThat(new RetryPolicy(2, Duration.ofHours(3)).retryDelay(1))
                .contains(Duration.ofHours(3));
        assertThat(new RetryPolicy(0, Duration.ZERO).retryDelay(0)).isEmpty();
    }

    @Test
    void aRetryAfterIsHonouredForADayOrAsLongAsIsSet() {
        var usual = new RetryPolicy(2, Duration.ZERO);
        var set = new RetryPolicy(2, Duration.ZERO, Duration.ofHours(2));
        var far = List.of("9".repeat(30), "9999999999", "86401", "Fri, 01 Mar 2126 12:00:00 GMT");
        for (var field : far) {
            assertThat(usual.retryAfter(Optional.of(field), visitHarness.now)).hasDays(1);
            assertThat(set.retryAfter(Optional.of(field), visitHarness.now)).hasHours(2);
        }
        assertThat(usual.retryAfter(Optional.of("86399"), visitHarness.now)).hasSeconds(86_399);
    }
}
