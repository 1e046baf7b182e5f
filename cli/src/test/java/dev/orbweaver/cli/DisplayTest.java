package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.crawl.CrawlStatus;
import dev.orbweaver.internal.crawl.Governor;
import dev.orbweaver.internal.crawl.TimeProfile;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.internal.frontier.HostView;
import dev.orbweaver.internal.frontier.JobHosts;
import dev.orbweaver.internal.frontier.NextWork;
import dev.orbweaver.internal.sink.SinkStatus;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlEnd.Reason;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The progress display and the summary, with fixed figures. */
class DisplayTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final NextWork FETCHING = new NextWork(true, 3, 2, Optional.of(NOW), "");

    @Test
    void theBlockShowsRateQueueHostsOutcomeAndLimit() throws Exception {
        var config =
                CrawlConfig.of("http://a.test/" + "long/".repeat(20))
                        .withSetting("max-pages", "4000");
        var view = new ProgressView(config, () -> 72);
        for (var second = 0; second < 40; second++) {
            view.observe(status((long) second * second, second, FETCHING, 3));
        }
        Golden.check(
                "cli/progress-block.txt",
                String.join("\n", view.block(status(1600, 40, FETCHING, 3), NOW)) + "\n");
    }

    @Test
    void theBlockIsAsWideAsTheTerminalAndNoWider() throws ConfigException {
        for (var columns : new int[] {60, 80, 110}) {
            var view =
                    new ProgressView(
                            CrawlConfig.of("a.test").withSetting("max-time", "60s"), () -> columns);
            assertThat(view.block(status(0, 0, FETCHING, 1), NOW))
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
        }
    }

    @Test
    void onePlainLineSaysTheSame() throws ConfigException {
        var view = new ProgressView(CrawlConfig.of("a.test"), () -> 80);
        view.observe(status(100, 10, FETCHING, 3));
        view.observe(status(300, 15, FETCHING, 3));
        assertThat(view.plainLine(status(300, 15, FETCHING, 3), NOW))
                .isEqualTo(
                        "0:00:15  pages 300 (40.0/s)  queue 1,234  failed 5  refused 27 "
                                + " 292.0 KB  fetching");
    }

    @Test
    void theRateOfAResumedCrawlIsThatOfItsRun() {
        var box =
                SummaryBox.of(
                        new CrawlEnd(Reason.COMPLETE, ""),
                        summary(30),
                        List.of(),
                        Path.of("out"),
                        80);
        assertThat(box)
                .contains("300 pages   292.0 KB   this run: 30 pages in 12.3 s   24.3 pages/s");
    }

    @Test
    void aListOfReasonsSaysThatItIncludesWithdrawnUrls() {
        var stats =
                new FrontierStats(
                        ledger(300),
                        new FrontierStats.Hosts(1, 0, 0, 0, 0),
                        Map.of(),
                        Map.of(Refusal.SCOPE, 20L, Refusal.ROBOTS, 7L));
        assertThat(StatusText.refused(stats)).isEqualTo("scope 20, robots 7 (with 7 withdrawn)");
    }

    @Test
    void howFarTheSinksAreIsShownToo() throws ConfigException {
        var view = new ProgressView(CrawlConfig.of("a.test"), () -> 80);
        var sinks =
                List.of(
                        new SinkStatus("mongodb", 12, 300, "lines", "no server answers"),
                        new SinkStatus("s3", 2_048, 2_048, "bytes", ""));
        var block = view.block(status(1, 1, FETCHING, 1), sinks, NOW);
        assertThat(block)
                .endsWith(
                        "mongodb  12 lines of 300 lines   waiting: no server answers",
                        "s3       all 2.0 KB",
                        "now      fetching");
        assertThat(view.plainLine(status(1, 1, FETCHING, 1), sinks, NOW))
                .endsWith("fetching  mongodb 12 lines of 300 lines  s3 all 2.0 KB");
    }

    @Test
    void aTerminalShowsBusyAndRestingHostsErrorsAndKeysToo() throws ConfigException {
        var view = new ProgressView(CrawlConfig.of("a.test"), () -> 80);
        var delay = Duration.ofSeconds(1);
        var soon = Optional.of(NOW.plusMillis(500));
        var later = Optional.of(NOW.plusSeconds(90));
        var hosts =
                new JobHosts(
                        new FrontierStats.Hosts(0, 1, 1, 0, 1),
                        List.of(
                                new JobHosts.Host(
                                        "few.test",
                                        3,
                                        0,
                                        HostView.State.READY,
                                        Optional.empty(),
                                        delay,
                                        JobHosts.DelayReason.SETTING,
                                        Optional.empty(),
                                        List.of()),
                                new JobHosts.Host(
                                        "many.test",
                                        70,
                                        0,
                                        HostView.State.WAITING,
                                        soon,
                                        delay,
                                        JobHosts.DelayReason.SETTING,
                                        Optional.empty(),
                                        List.of()),
                                new JobHosts.Host(
                                        "tired.test",
                                        5,
                                        0,
                                        HostView.State.RESTING,
                                        later,
                                        delay,
                                        JobHosts.DelayReason.SETTING,
                                        Optional.of("it asked"),
                                        List.of())),
                        List.of());
        var block =
                view.block(
                        status(1, 1, FETCHING, 1),
                        List.of(),
                        hosts,
                        List.of("404  http://a.test/gone"),
                        NOW);
        assertThat(block)
                .endsWith(
                        "busiest  many.test   70 queued, waiting for 0.5 s",
                        "         few.test   3 queued, ready",
                        "resting  tired.test   5 queued, resumes in 90 s: it asked",
                        "errors   404  http://a.test/gone",
                        "now      fetching",
                        "keys     p pause   s stop   Ctrl+C stop");
    }

    @Test
    void itSaysWhatItIsWaitingFor() throws ConfigException {
        var view = new ProgressView(CrawlConfig.of("a.test"), () -> 80);
        var due = Optional.of(NOW.plusMillis(2500));
        assertThat(view.plainLine(status(1, 1, new NextWork(false, 0, 3, due, ""), 0), NOW))
                .endsWith("waiting for the delay of 3 hosts, next request in 2.5 s");
        assertThat(view.plainLine(status(1, 1, new NextWork(false, 0, 0, due, "b.test"), 0), NOW))
                .endsWith("waiting for b.test, next request in 2.5 s");
        assertThat(
                        view.plainLine(
                                status(1, 1, new NextWork(false, 0, 0, Optional.empty(), ""), 0),
                                NOW))
                .endsWith("finishing");
    }

    @Test
    void theClosingBoxSaysWhyItEndedAndWhatCameOfIt() throws IOException {
        var text = new StringBuilder();
        for (var end :
                new CrawlEnd[] {
                    new CrawlEnd(Reason.COMPLETE, ""),
                    new CrawlEnd(Reason.MAX_PAGES, "300 pages"),
                    new CrawlEnd(Reason.WAITING, "b.test is in backoff until 2026-03-01T13:00:00Z"),
                    new CrawlEnd(Reason.STOPPED, ""),
                    new CrawlEnd(Reason.BROKEN, "No space left on device")
                }) {
            text.append(SummaryBox.of(end, summary(), List.of(), Path.of("a.test"), 80));
        }
        Golden.check("cli/closing-box.txt", text.toString());
    }

    @Test
    void theClosingBoxFitsTheTerminal() throws IOException {
        var directory = Path.of("a-long-name/".repeat(12));
        var notes = List.of("http://a.test/" + "x".repeat(150) + ": dns: no such host a.test");
        for (var columns : new int[] {40, 80, 110}) {
            var box =
                    SummaryBox.of(
                            new CrawlEnd(Reason.MAX_PAGES, "300 pages"),
                            summary(),
                            notes,
                            directory,
                            columns);
            assertThat(box.lines().filter(line -> !line.startsWith("to continue")))
                    .allSatisfy(line -> assertThat(line).hasSize(columns));
            assertThat(box.lines().toList().getLast())
                    .as("a long command is below the box, in one piece")
                    .isEqualTo(
                            "to continue: orbweaver resume " + directory + " --set max-pages=none");
            assertThat(box.replaceAll("[│\\s]", ""))
                    .contains("x".repeat(150) + ":dns:nosuchhost")
                    .contains("robots7");
        }
    }

    @Test
    void aLineIsWrappedAtSpacesButNotBeforeAPercentSign() {
        assertThat(TextWrap.lines("  time: server 31 %, body 9 %", 20))
                .containsExactly("  time: server 31 %,", "    body 9 %");
        assertThat(TextWrap.lines("  time: server 31 %", 18))
                .containsExactly("  time: server", "    31 %");
        assertThat(TextWrap.lines("abcdefgh", 5)).containsExactly("abcde", "  fgh");
    }

    @Test
    void hintsNameTheProgramAsItWasCalled() {
        assertThat(CommandHint.of("resume", Path.of("a.test")))
                .isEqualTo("orbweaver resume a.test");
        System.setProperty(CommandHint.PROPERTY, "../my tools/orbweaver");
        try {
            assertThat(CommandHint.of("resume", Path.of("it's")))
                    .isEqualTo("'../my tools/orbweaver' resume 'it'\\''s'");
        } finally {
            System.clearProperty(CommandHint.PROPERTY);
        }
    }

    @Test
    void numbersAreForPeople() {
        assertThat(Numbers.bytes(0)).isEqualTo("0 B");
        assertThat(Numbers.bytes(1023)).isEqualTo("1023 B");
        assertThat(Numbers.bytes(1536)).isEqualTo("1.5 KB");
        assertThat(Numbers.bytes(Long.MAX_VALUE)).isEqualTo("8388608.0 TB");
        assertThat(Numbers.rate(99.94)).isEqualTo("99.9/s");
        assertThat(Numbers.rate(12345)).isEqualTo("12,345/s");
        assertThat(Numbers.clock(Duration.ofSeconds(360_061))).isEqualTo("100:01:01");
        assertThat(Numbers.shortDuration(Duration.ofMillis(9_949))).isEqualTo("9.9 s");
        assertThat(Numbers.shortDuration(Duration.ofSeconds(599))).isEqualTo("599 s");
        assertThat(Numbers.shortDuration(Duration.ofHours(2))).isEqualTo("120 min");
    }

    private static Ledger ledger(long pages) {
        return new Ledger(
                7_020 + pages + 1_260,
                7_000,
                20,
                pages + 1_260,
                1_234,
                3,
                pages + 11,
                5,
                7,
                pages,
                299_000);
    }

    private static CrawlStatus status(long pages, int seconds, NextWork nextWork, int inFlight) {
        var stats =
                new FrontierStats(
                        ledger(pages), new FrontierStats.Hosts(1, 20, 3, 2, 1), Map.of(), Map.of());
        return new CrawlStatus(
                stats,
                nextWork,
                Duration.ofSeconds(seconds),
                inFlight,
                17,
                false,
                false,
                Optional.empty(),
                new Governor.State(512, 512, Optional.empty(), 0),
                new TimeProfile.TimeBreakdown(
                        Map.of(
                                TimeProfile.Phase.POLITENESS, Duration.ofSeconds(90),
                                TimeProfile.Phase.SERVER, Duration.ofSeconds(10)),
                        .98));
    }

    private static CrawlReport summary() {
        return summary(300);
    }

    private static CrawlReport summary(long runPages) {
        return new CrawlReport(
                "complete",
                "",
                300,
                runPages,
                5,
                1_027,
                5,
                1_237,
                1_560,
                299_000,
                350,
                40,
                NOW.toString(),
                12.345,
                3.2,
                24.3,
                93.75,
                1 << 28,
                Map.of("timeout", 1L, "connect", 4L),
                Map.of("scope", 1_000L, "robots", 7L, "extension", 20L),
                Map.of("200", 300L, "404", 2L),
                Map.of("timeout", 3L),
                Map.of("politeness", 90.0, "server", 9.5, "tls", .5),
                .98,
                0,
                ledger(300));
    }
}
