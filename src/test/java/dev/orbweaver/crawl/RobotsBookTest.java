package dev.orbweaver.crawl;

import static dev.orbweaver.crawl.Stage.url;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.crawl.RobotsBook.Standing;
import dev.orbweaver.disk.SimulatedDisk;
import dev.orbweaver.fetch.ContentReader;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.robots.RobotsOutcome;
import dev.orbweaver.robots.RobotsRules;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** What the book knows over days, over deaths and with little memory, by a clock of the test's. */
class RobotsBookTest {

    private static final Path FOLDER = Path.of("/crawl");
    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);
    private static final String PAGE = "http://a.test/page";
    private static final String PRIVATE = "http://a.test/private";
    private static final String DENY_PRIVATE = "user-agent: *\ncrawl-delay: 9\ndisallow: /private";

    private SimulatedDisk disk = new SimulatedDisk();
    private Stage stage = stage();

    private Stage stage() {
        try {
            return new Stage(RobotsLog.open(disk, FOLDER));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The process is killed, and another goes on. */
    private void die() {
        var now = stage.now;
        disk = disk.afterCrash();
        stage = stage();
        stage.now = now;
    }

    @Test
    void aCrawlThatGoesOnKnowsTheRulesAndDoesNotAskAgain() {
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        die();
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        assertThat(stage.visit(PRIVATE).begin(stage.now)).isInstanceOf(Step.Settle.class);
    }

    @Test
    void rulesAreFreshForADayHoweverOftenTheProcessDies() {
        var _ = stage.robots(PAGE, 404, "");
        die();
        stage.later(RobotsAnswer.FRESH.minusSeconds(1));
        die();
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        stage.later(Duration.ofSeconds(1));
        assertThat(stage.visit(PAGE).begin(stage.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void theWaitForAnUnreachableFileDoublesOverDeaths() {
        for (var minutes : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            var end = (Step.GiveBack) stage.robots(PAGE, 500, "");
            var until = stage.now.plus(Duration.ofMinutes(minutes));
            assertThat(end.why()).isEqualTo(new Pause.RobotsUnreachable(stage.now, until));
            die();
            assertThat(((Step.GiveBack) stage.visit(PAGE).begin(stage.now)).why())
                    .isEqualTo(new Pause.RobotsUnreachable(stage.now, until));
            stage.now = until;
        }
    }

    @Test
    void theLastGoodRulesStandFor30DaysOverDeathsThenNothingIsAllowed() {
        var fetched = stage.now;
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        for (var day = 1; day < 30; day++) {
            die();
            stage.now = fetched.plus(Duration.ofDays(day));
            var _ = stage.robots(PAGE, day % 2 == 0 ? 503 : 429, "");
            die();
            assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
            assertThat(stage.visit(PRIVATE).begin(stage.now)).isInstanceOf(Step.Settle.class);
        }
        stage.now = fetched.plus(RobotsAnswer.STALE_MAX);
        assertThat(((Step.GiveBack) stage.robots(PAGE, 503, "")).why())
                .isInstanceOf(Pause.RobotsUnreachable.class);
        die();
        assertThat(((Step.GiveBack) stage.visit(PAGE).begin(stage.now)).why())
                .isInstanceOf(Pause.RobotsUnreachable.class);
    }

    @Test
    void oldRulesEndAfter30DaysAlsoWhereTheHostAsksForLongerQuiet() {
        var fetched = stage.now;
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        stage.later(Duration.ofDays(2));
        var _ = stage.robots(PAGE, 429, "", "Retry-After: " + Duration.ofDays(60).toSeconds());
        stage.now = fetched.plus(RobotsAnswer.STALE_MAX).minusSeconds(1);
        // The quiet that it may ask for is shorter, so robots.txt is asked for once more.
        var _ = stage.robots(PAGE, 429, "", "Retry-After: " + Duration.ofDays(60).toSeconds());
        assertThat(stage.visit(PAGE).begin(stage.now)).isEqualTo(new Step.Resolve(url(PAGE)));
        stage.later(Duration.ofSeconds(1));
        assertThat(((Step.GiveBack) stage.visit(PAGE).begin(stage.now)).why())
                .isInstanceOf(Pause.RobotsUnreachable.class);
        assertThat(stage.etiquette.robots().known(url(PRIVATE), stage.now)).isEmpty();
    }

    @Test
    void whatWasNotCommittedIsAskedForAgain() {
        var visit = stage.visit(PAGE);
        var asked = ((Step.Resolve) visit.begin(stage.now)).url();
        var exchange = stage.exchange(asked, 200, DENY_PRIVATE);
        var text = DENY_PRIVATE.getBytes(UTF_8);
        var _ = visit.robotsRead(exchange, new ContentReader.Content(text, text.length, false));
        die();
        assertThat(stage.visit(PAGE).begin(stage.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void aDelayIsRememberedForAllOriginsOfItsHostOverDeaths() {
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        die();
        var other = (Step.GiveBack) stage.robots("https://a.test/", 404, "");
        assertThat(other.delay()).contains(Duration.ofSeconds(9));
        stage.later(RobotsAnswer.FRESH);
        var lifted = (Step.GiveBack) stage.robots(PAGE, 404, "");
        assertThat(lifted.delay()).contains(Duration.ZERO);
        die();
        assertThat(stage.etiquette.robots().delayOfHost(url(PAGE))).isZero();
    }

    @Test
    void aClockSetBackDoesNotMakeAFailureLastLonger() {
        var _ = stage.robots(PAGE, 500, "");
        stage.now = stage.now.minus(Duration.ofHours(5));
        die();
        assertThat(((Step.GiveBack) stage.visit(PAGE).begin(stage.now)).why())
                .isEqualTo(new Pause.RobotsUnreachable(stage.now, stage.now.plusSeconds(60)));
    }

    /** The wait that begins anew at the first death ends, however often the process dies then. */
    @Test
    void aClockSetBackDoesNotBeginTheWaitAnewAtEveryDeath() {
        var _ = stage.robots(PAGE, 500, "");
        stage.now = stage.now.minus(Duration.ofHours(5));
        for (var seconds = 0; seconds < 60; seconds += 20) {
            die();
            assertThat(stage.visit(PAGE).begin(stage.now)).isInstanceOf(Step.GiveBack.class);
            stage.now = stage.now.plusSeconds(20);
        }
        die();
        assertThat(stage.visit(PAGE).begin(stage.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void onlyOneAsksAtATimeAlsoWhileAnotherWasToldToWait() {
        var _ = stage.robots(PAGE, 500, "");
        var told = (Step.End) stage.visit(PAGE).begin(stage.now);
        stage.later(Duration.ofMinutes(1));
        assertThat(stage.visit(PAGE).begin(stage.now)).isInstanceOf(Step.Resolve.class);
        stage.etiquette.committed(told);
        assertThat(((Step.GiveBack) stage.visit(PAGE).begin(stage.now)).why())
                .isInstanceOf(Pause.Gate.class);
    }

    @Test
    void aStoreThatFailsCostsNoMoreThanAskingAgain() {
        disk.failFrom(disk.operations() + 1);
        var _ = stage.robots(PAGE, 200, DENY_PRIVATE);
        assertThat(stage.visit(PRIVATE).begin(stage.now)).isInstanceOf(Step.Settle.class);
        disk.failFrom(0);
        die();
        assertThat(stage.visit(PAGE).begin(stage.now))
                .isEqualTo(new Step.Resolve(url("http://a.test/robots.txt")));
    }

    @Test
    void memoryIsBoundedAndWhatIsForgottenIsReadFromTheFile() throws IOException {
        var known = new KnownOrigins(10, 5_000);
        var book = new RobotsBook(URLS, "orbweaver", RobotsLog.open(disk, FOLDER), known);
        var now = Instant.parse("2026-03-01T12:00:00Z");
        for (var i = 0; i < 500; i++) {
            tell(book, "http://h" + i + ".test/", "user-agent: *\ndisallow: /x" + i, now);
            assertThat(known.size()).isLessThanOrEqualTo(10);
        }
        for (var i = 0; i < 500; i++) {
            var standing = book.claim(url("http://h" + i + ".test/"), now.plusSeconds(i));
            assertThat(standing).isInstanceOf(Standing.Known.class);
            var rules = ((Standing.Known) standing).rules();
            assertThat(rules.judge("/x" + i).allowed()).isFalse();
            assertThat(rules.judge("/y").allowed()).isTrue();
            assertThat(known.size()).isLessThanOrEqualTo(10);
        }
    }

    @Test
    void fewOriginsWithHugeFilesAreForgottenToo() throws IOException {
        var known = new KnownOrigins(1000, 100_000);
        var book = new RobotsBook(URLS, "orbweaver", RobotsLog.open(disk, FOLDER), known);
        var now = Instant.parse("2026-03-01T12:00:00Z");
        var huge = "user-agent: *\n" + "disallow: /some/longish/path\n".repeat(1000);
        for (var i = 0; i < 50; i++) {
            tell(book, "http://h" + i + ".test/", huge, now);
        }
        assertThat(known.size()).isLessThan(5);
        assertThat(book.claim(url("http://h0.test/"), now)).isInstanceOf(Standing.Known.class);
    }

    @Test
    void hostsWithTheSameFileShareItsRules() {
        var book = new RobotsBook(URLS, "orbweaver", RobotsStore.NOTHING);
        var now = Instant.parse("2026-03-01T12:00:00Z");
        tell(book, "http://a.test/", "user-agent: *\ndisallow: /x", now);
        tell(book, "http://b.test/", "user-agent: *\ndisallow: /x", now);
        tell(book, "http://c.test/", "user-agent: *\ndisallow: /y", now);
        var first = book.known(url("http://a.test/"), now).orElseThrow();
        assertThat(book.known(url("http://b.test/"), now)).containsSame(first);
        assertThat(book.known(url("http://c.test/"), now).orElseThrow()).isNotSameAs(first);
    }

    /** Asks, brings an answer and commits. */
    private static void tell(RobotsBook book, String page, String text, Instant now) {
        var asked = ((Standing.Ask) book.claim(url(page), now)).url();
        var bytes = text.getBytes(UTF_8);
        var rules = RobotsRules.parse(bytes, bytes.length, "orbweaver");
        var reply =
                new RobotsBook.Reply(
                        new RobotsOutcome.Rules(rules), "status 200", bytes, now, Duration.ZERO);
        var _ = book.answer(url(page), asked, reply);
        book.inForce(url(page));
        book.committed(url(page));
    }
}
