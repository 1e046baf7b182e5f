package dev.orbweaver.crawl;

import static dev.orbweaver.crawl.Stage.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.fetch.Fetcher.Resolution;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.HostSignal;
import dev.orbweaver.frontier.Outcome;
import dev.orbweaver.frontier.Pause;
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
import dev.orbweaver.robots.RobotsRules;

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
import java.util.zip.GZIPOutputStream;

class VisitRobotsTest {

    private static final String PAGE = "http://a.test/page";
    private static final String DENY_PRIVATE = "user-agent: *\n\ndisallow: /private\n";

    private final Stage stage = new Stage();

    @Test
    void anUnknownHostIsFirstAskedForItsRobots() {
        var step = stage.visit("http://a.test:8080/x/y?z").begin(stage.now);
        assertThat(step).isEqualTo(new Step.Resolve(url("http://a.test:8080/robots.txt")));
    }

    @Test
    void theVisitIsSpentOnRobotsAndTheUrlGoesBackWithTheDelayRunning() {
        var end = (Step.GiveBack) stage.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(end.why()).isEqualTo(new Pause.RobotsFetched(stage.now));
        assertThat(end.lease().url()).isEqualTo(url(PAGE));
        var capture = end.capture().orElseThrow();
        assertThat(capture.kind()).isEqualTo(Kind.ROBOTS);
        assertThat(capture.url()).isEqualTo(url("http://a.test/robots.txt"));
    }

    @Test
    void onceTheRulesAreKnownTheNextVisitGoesToThePage() {
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @Test
    void aDeniedUrlIsWithdrawnWithoutARequestAndTheLineIsNamed() {
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        var end = (Step.Settle) stage.visit("http://a.test/private/1").begin(stage.now);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        assertThat(end.settlement().signal()).isEqualTo(new HostSignal.Untouched());
        var capture = end.capture().orElseThrow();
        assertThat(capture.kind()).isEqualTo(Kind.WITHDRAWN);
        assertThat(capture.cause()).isEqualTo("robots");
        assertThat(capture.detail()).isEqualTo("line 3: Disallow: /private");
    }

    @Test
    void aNameThatIsNotFoundAtFirstDoesNotHideThatRobotsDenies() {
        var first = stage.visit("http://a.test/private/1");
        var _ = first.begin(stage.now);
        var failed = (Step.Settle) first.resolved(new Resolution.NotFound("gone"), stage.now);
        assertThat(failed.settlement().outcome()).isInstanceOf(Outcome.Retry.class);
        stage.later(Duration.ofMinutes(1));
        var _ = stage.robots("http://a.test/private/1", 200, DENY_PRIVATE);
        var end = (Step.Settle) stage.visit("http://a.test/private/1").begin(stage.now);
        assertThat(end.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        assertThat(end.capture().orElseThrow().cause()).isEqualTo("robots");
    }

    @Test
    void robotsThatAreIgnoredAreNotAskedFor() {
        var ignoring = new Stage(false, true);
        assertThat(ignoring.visit(PAGE).begin(ignoring.now)).isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 410, 451})
    void noSuchFileAllowsEverything(int status) {
        assertThat(((Step.GiveBack) stage.robots(PAGE, status, "disallow: /")).why())
                .isEqualTo(new Pause.RobotsFetched(stage.now));
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503, 599, 304, 100})
    void aServerThatCannotSayIsLeftAloneForAMinute(int status) {
        var end = (Step.GiveBack) stage.robots(PAGE, status, "");
        var until = stage.now.plusSeconds(60);
        assertThat(end.why()).isEqualTo(new Pause.RobotsUnreachable(stage.now, until));
        var asked = stage.now;
        stage.later(Duration.ofSeconds(59));
        assertThat(((Step.GiveBack) stage.visit(PAGE).begin(stage.now)).why())
                .isEqualTo(new Pause.RobotsUnreachable(asked, until));
    }

    @Test
    void theWaitForRobotsDoublesUpToAnHour() {
        for (var minutes : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            var end = (Step.GiveBack) stage.robots(PAGE, 500, "");
            var until = stage.now.plus(Duration.ofMinutes(minutes));
            assertThat(end.why()).isEqualTo(new Pause.RobotsUnreachable(stage.now, until));
            stage.now = until;
        }
        var _ = stage.robots(PAGE, 404, "");
        stage.later(Duration.ofHours(24));
        var _ = stage.robots(PAGE, 500, "");
        assertThat(stage.etiquette.robots().claim(url(PAGE), stage.now.plusSeconds(60)))
                .as("an answer in between begins the count anew")
                .isInstanceOf(RobotsBook.Standing.Ask.class);
    }

    @Test
    void aServerThatNamesALongerTimeForRobotsIsNotAskedSooner() {
        var end = (Step.GiveBack) stage.robots(PAGE, 503, "", "Retry-After: 600");
        assertThat(end.why())
                .isEqualTo(new Pause.RobotsUnreachable(stage.now, stage.now.plusSeconds(600)));
    }

    @Test
    void rulesAreAskedForAgainAfterADay() {
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        stage.later(Duration.ofHours(24).minusSeconds(1));
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        stage.later(Duration.ofSeconds(1));
        assertThat(stage.visit(PAGE).begin(stage.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void oldRulesStandFor30DaysWhenNoNewOnesCanBeHad() {
        var fetched = stage.now;
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        stage.later(Duration.ofDays(29));
        var end = (Step.GiveBack) stage.robots(PAGE, 503, "");
        assertThat(end.why()).isEqualTo(new Pause.RobotsFetched(stage.now));
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(stage.visit("http://a.test/private").begin(stage.now))
                .isInstanceOf(Step.Settle.class);
        stage.now = fetched.plus(Duration.ofDays(30));
        assertThat(((Step.GiveBack) stage.robots(PAGE, 503, "")).why())
                .isInstanceOf(Pause.RobotsUnreachable.class);
    }

    @Test
    void linksAreNotTurnedAwayByRulesThatAreOutOfDate() {
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        var link = url("http://a.test/private");
        assertThat(stage.etiquette.objection(link, Hop.LINK, 1, stage.now))
                .contains(Refusal.ROBOTS);
        assertThat(stage.etiquette.objection(link, Hop.LINK, 1, stage.now.plus(Duration.ofDays(2))))
                .isEmpty();
    }

    @Test
    void fiveRedirectsAreFollowedAndTheRulesAreThoseOfTheFirstHost() {
        for (var i = 1; i <= 5; i++) {
            var target = "http://h" + i + ".test/robots.txt";
            var end = (Step.GiveBack) stage.robots(PAGE, 302, "", "Location: " + target);
            assertThat(end.why()).isEqualTo(new Pause.RobotsFetched(stage.now));
            assertThat(end.delay()).isEmpty();
        }
        var visit = stage.visit(PAGE);
        assertThat(visit.begin(stage.now))
                .isEqualTo(new Step.Resolve(url("http://h5.test/robots.txt")));
        var _ = stage.answerRobots(visit, url("http://h5.test/robots.txt"), 200, DENY_PRIVATE);
        assertThat(stage.visit("http://a.test/private").begin(stage.now))
                .isInstanceOf(Step.Settle.class);
        assertThat(stage.visit("http://h5.test/private").begin(stage.now))
                .isEqualTo(new Step.Resolve(url("http://h5.test/robots.txt")));
    }

    @Test
    void theSixthRedirectIsTakenForNoFileAtAll() {
        for (var i = 0; i < 6; i++) {
            var _ = stage.robots(PAGE, 301, "", "Location: /robots" + i + ".txt");
        }
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://", "mailto:x@a.test", "http://a b/"})
    void aRedirectToNowhereIsNoPermission(String location) {
        var end = (Step.GiveBack) stage.robots(PAGE, 301, "", "Location: " + location);
        assertThat(end.why()).isInstanceOf(Pause.RobotsUnreachable.class);
    }

    @Test
    void aHostElsewhereThatCannotBeReachedMakesRobotsUnreachableNotTheUrlDead() {
        for (var resolution :
                new Resolution[] {
                    new Resolution.NotFound("no such name"), new Resolution.Forbidden("private")
                }) {
            var fresh = new Stage();
            var _ = fresh.robots(PAGE, 301, "", "Location: http://b.test/r");
            var visit = fresh.visit(PAGE);
            var _ = visit.begin(fresh.now);
            var end = (Step.GiveBack) visit.resolved(resolution, fresh.now);
            assertThat(end.why()).isInstanceOf(Pause.RobotsUnreachable.class);
            fresh.later(Duration.ofMinutes(1));
            assertThat(fresh.visit(PAGE).begin(fresh.now))
                    .as("it begins at the host's own file again")
                    .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
        }
    }

    @ParameterizedTest
    @CsvSource({"CONNECT, true", "TLS, true", "TIMEOUT, false", "DISCONNECT, false"})
    void withoutAConnectionTheUrlItselfHasFailed(FailureCause cause, boolean ofTheUrl) {
        var visit = stage.visit(PAGE);
        var _ = visit.begin(stage.now);
        var end = stage.failure(visit, cause);
        if (ofTheUrl) {
            var settlement = ((Step.Settle) end).settlement();
            assertThat(settlement.outcome())
                    .isEqualTo(new Outcome.Retry(stage.now.plus(Stage.FIRST_RETRY), cause));
            assertThat(settlement.signal()).isEqualTo(new HostSignal.Failing(stage.now));
        } else {
            assertThat(((Step.GiveBack) end).why()).isInstanceOf(Pause.RobotsUnreachable.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureCause.class,
            names = {"CONNECT", "TLS", "TIMEOUT", "DISCONNECT", "MALFORMED"})
    void aGuessedSchemeIsGivenUpWhenRobotsCannotBeHad(FailureCause cause) {
        var visit = stage.as(Hop.GUESSED_SEED).visit("https://a.test/");
        var _ = visit.begin(stage.now);
        var end = (Step.Settle) stage.failure(visit, cause);
        assertThat(end.settlement().outcome())
                .isEqualTo(new Outcome.Withdrawn(Refusal.SCHEME_GUESS));
        assertThat(end.settlement().signal()).isEqualTo(new HostSignal.Unjudged(stage.now));
        assertThat(end.settlement().found())
                .containsExactly(Candidate.seed(url("http://a.test/"), false));
        stillAskable("https://a.test/");
    }

    @Test
    void rulesCountForOthersOnlyOnceTheirDelayIsInForce() {
        var visit = stage.visit(PAGE);
        var asked = ((Step.Resolve) visit.begin(stage.now)).url();
        var exchange = stage.exchange(asked, 200, "");
        var _ = visit.fetched(new FetchResult.Fetched(exchange), stage.now);
        var _ = visit.robotsRead(exchange, new ContentReader.Content(new byte[0], 0, false));
        assertThat(stage.visit(PAGE).begin(stage.now)).isInstanceOf(Step.GiveBack.class);
        stage.etiquette.robots().inForce(url(PAGE));
        assertThat(stage.visit(PAGE).begin(stage.now)).isInstanceOf(Step.Resolve.class);
    }

    @Test
    void theDelayThatRobotsAskForIsHandedOn() {
        var end =
                (Step.GiveBack) stage.robots(PAGE, 200, "user-agent: *\ncrawl-delay: 7\nallow: /");
        assertThat(end.delay()).contains(Duration.ofSeconds(7));
        var other = (Step.GiveBack) stage.robots("https://a.test/", 200, DENY_PRIVATE);
        assertThat(other.delay())
                .as("another origin of the host does not lift what this one asked for")
                .contains(Duration.ofSeconds(7));
        var elsewhere = (Step.GiveBack) stage.robots("http://b.test/", 200, DENY_PRIVATE);
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
        var end = (Step.GiveBack) stage.robots(PAGE, 200, text);
        assertThat(end.found())
                .containsExactly(
                        new Candidate(url("http://a.test/map.xml"), Hop.SITEMAP, 0, 0),
                        new Candidate(url("https://a.test/tls.xml"), Hop.SITEMAP, 0, 0));
        var without = new Stage(true, false);
        assertThat(((Step.GiveBack) without.robots(PAGE, 200, text)).found()).isEmpty();
    }

    @Test
    void whileOneAsksTheOthersWaitAMoment() {
        var _ = stage.visit(PAGE).begin(stage.now);
        var end = (Step.GiveBack) stage.visit(PAGE).begin(stage.now);
        assertThat(end.why()).isEqualTo(new Pause.Gate(stage.now.plusMillis(50)));
    }

    @Test
    void theDutyToAskIsGivenBackOnEveryWayOut() {
        var gate = asking();
        var pass = (Step.Pass) gate.resolved(new Resolution.Found(Stage.ADDRESS), stage.now);
        assertThat(((Step.GiveBack) gate.passed(pass, Optional.of(Instant.MAX))).why())
                .isEqualTo(new Pause.Gate(Instant.MAX));
        stillAskable(PAGE);

        assertThat(asking().resolved(new Resolution.NotFound("gone"), stage.now))
                .isInstanceOf(Step.Settle.class);
        stillAskable(PAGE);
        assertThat(asking().resolved(new Resolution.Forbidden("private"), stage.now))
                .isInstanceOf(Step.Settle.class);
        stillAskable(PAGE);
        for (var cause : FailureCause.values()) {
            var _ = stage.failure(asking(), cause);
            stillAskable(PAGE);
        }
        var _ = asking().broke(new IllegalStateException("a bug"), stage.now);
        stillAskable(PAGE);
        var refused = new FetchResult.Refused(url(PAGE), "too large");
        assertThat(((Step.GiveBack) asking().fetched(refused, stage.now)).why())
                .isInstanceOf(Pause.RobotsUnreachable.class);
        stillAskable(PAGE);
        var lost = new FetchResult.Unanswered(url(PAGE), stage.now);
        assertThat(((Step.GiveBack) asking().fetched(lost, stage.now)).why())
                .isEqualTo(new Pause.Unanswered(stage.now));
        stillAskable(PAGE);
        for (var status : new int[] {301, 500}) {
            var _ = stage.robots(PAGE, status, "", "Location: /elsewhere.txt");
            stillAskable(PAGE);
        }
    }

    private Visit asking() {
        var visit = stage.visit(PAGE);
        assertThat(visit.begin(stage.now)).isInstanceOf(Step.Resolve.class);
        return visit;
    }

    /** Whatever came before, somebody may ask again now or after a wait. */
    private void stillAskable(String page) {
        stage.later(Duration.ofHours(2));
        var claim = stage.etiquette.robots().claim(url(page), stage.now);
        assertThat(claim).isInstanceOf(RobotsBook.Standing.Ask.class);
        stage.etiquette.robots().abandon(url(page));
    }

    @Test
    void aFileThatCannotBeDecodedIsAsUnreachableAsOneThatWasNotSent() throws IOException {
        var gzip = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(gzip)) {
            out.write("User-agent: *\nAllow: /\n".getBytes(UTF_8));
        }
        var whole = gzip.toByteArray();
        assertThat(readRobots(whole, "gzip")).isInstanceOf(Pause.RobotsFetched.class);
        assertThat(readRobots(new byte[0], "gzip")).isInstanceOf(Pause.RobotsFetched.class);
        assertThat(readRobots("Allow: /".getBytes(UTF_8), "utf-8"))
                .isInstanceOf(Pause.RobotsFetched.class);
        assertThat(readRobots("Allow: /".getBytes(UTF_8), "gzip"))
                .isInstanceOf(Pause.RobotsUnreachable.class);
        assertThat(readRobots(Arrays.copyOf(whole, whole.length - 12), "gzip"))
                .isInstanceOf(Pause.RobotsUnreachable.class);
        assertThat(readRobots("Allow: /".getBytes(UTF_8), "compress"))
                .isInstanceOf(Pause.RobotsUnreachable.class);
        assertThat(readRobots(whole, "gzip, gzip, gzip, gzip"))
                .isInstanceOf(Pause.RobotsUnreachable.class);
    }

    private static Pause readRobots(byte[] body, String coding) throws IOException {
        var stage = new Stage();
        var visit = stage.visit(PAGE);
        var asked = ((Step.Resolve) visit.begin(stage.now)).url();
        var sent = stage.exchange(asked, 200, "", "Content-Encoding: " + coding);
        var exchange =
                new Exchange(
                        sent.url(),
                        sent.requestHead(),
                        sent.head(),
                        new Body.InMemory(body, body.length),
                        sent.remote(),
                        sent.timings(),
                        sent.truncated());
        var _ = visit.fetched(new FetchResult.Fetched(exchange), stage.now);
        var content = ContentReader.read(exchange, RobotsRules.BYTES_MAX);
        return ((Step.GiveBack) visit.robotsRead(exchange, content)).why();
    }

    @Test
    void manyWildcardsAgainstManyLinksAreJudgedWithBoundedWork() {
        var file = new StringBuilder("User-agent: *\nDisallow: /*secret\n");
        for (var i = 0; i < 30_000; i++) {
            file.append("Disallow: /*a*b").append(i).append("\n");
        }
        var _ = stage.robots(PAGE, 200, file.toString());
        var links = new ArrayList<Link>();
        for (var i = 0; i < 2_000; i++) {
            links.add(new Link(url("http://a.test/aaaa" + i + "/secret"), LinkKind.ANCHOR, false));
        }
        var cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        var sorted = stage.etiquette.sort(new Page("", "", links, false, false), 0, stage.now);
        var spent = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
        assertThat(Duration.ofNanos(spent)).isLessThan(Duration.ofSeconds(5));
        // The first are judged; those behind them are judged when their turn comes.
        assertThat(sorted.refused().getOrDefault(Refusal.ROBOTS, 0)).isBetween(10, 1_990);
        assertThat(
                        sorted.found().size()
                                + sorted.refused().values().stream().mapToInt(x -> x).sum())
                .isEqualTo(2_000);
        var last = stage.visit(sorted.found().getLast().url().text());
        assertThat(((Step.Settle) last.begin(stage.now)).settlement().outcome())
                .isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        var costly = stage.visit("http://a.test/" + "a".repeat(4_000));
        var refused = (Step.Settle) costly.begin(stage.now);
        assertThat(refused.settlement().outcome()).isEqualTo(new Outcome.Withdrawn(Refusal.ROBOTS));
        assertThat(refused.capture().orElseThrow().detail())
                .isEqualTo("line 0: too many rules with wildcards to judge this path");
    }
}
