package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.TreeMap;

/** Tests how pages change, and what servers say about it. */
class ChangingPagesTest {

    private static final int PORT = 8080;
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Hazard[] HAZARDS = {
        Hazard.VALIDATORS,
        Hazard.CHANGES,
        Hazard.BOILERPLATE,
        Hazard.LYING_VALIDATORS,
        Hazard.SITEMAP_DATES,
        Hazard.VANISHING
    };

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.light(3, 60, 3_000).with(HAZARDS));

    @Test
    void pagesChangeAtTheirRates() {
        var changes = new TreeMap<Double, Long>();
        var pages = new TreeMap<Double, Integer>();
        for (var page = 0; page < web.pageCount(); page++) {
            changes.merge(web.changesPerDay(page), web.version(page, YEAR), Long::sum);
            pages.merge(web.changesPerDay(page), 1, Integer::sum);
        }
        assertThat(changes).hasSize(13);
        changes.forEach(
                (rate, number) -> {
                    var mean = rate * YEAR.toDays() * pages.getOrDefault(rate, 0);
                    // The standard deviation of a Poisson distribution is the root of its mean.
                    assertThat((double) number)
                            .as("changes at %s per day", rate)
                            .isBetween(mean - 4 * Math.sqrt(mean), mean + 4 * Math.sqrt(mean));
                });
    }

    @Test
    void aPageThatChangesOnceADayChangesAtRandomTimes() {
        var process = new ChangeProcess(5, 1, 1);
        var none = 0;
        for (var day = 0; day < 1_000; day++) {
            var before = process.until(DAY.multipliedBy(day)).number();
            none += process.until(DAY.multipliedBy(day + 1)).number() == before ? 1 : 0;
        }
        // The share of days without a change is 1/e.
        assertThat(none).isBetween(307, 429);
    }

    @Test
    void theLastChangeIsAtTheTimeFromWhichThePageHasItsVersion() {
        for (var page = 0; page < web.pageCount(); page++) {
            var history = web.pageVersions().process(page).until(YEAR);
            if (history.number() > 0) {
                assertThat(history.last()).isLessThanOrEqualTo(YEAR);
                assertThat(web.version(page, history.last())).isEqualTo(history.number());
                assertThat(web.version(page, history.last().minusNanos(1)))
                        .isEqualTo(history.number() - 1);
            }
        }
    }

    @Test
    void boilerplateChangesWhileTheTextIsTheSame() {
        var page = page(Trait.BOILERPLATE);
        var monthLater = DAY.multipliedBy(31);
        var first = html(request(page));
        var again = html(request(page).withAttempt(1));
        var later = html(request(page).atTime(monthLater));
        assertThat(first).contains("1 January 2026", "News of January 2026", "nonce=");
        assertThat(later).contains("1 February 2026", "News of February 2026");
        assertThat(first).isNotEqualTo(again);
        assertThat(text(again)).isEqualTo(text(first));
        if (web.version(page, monthLater) == 0) {
            assertThat(text(later)).isEqualTo(text(first));
        }
        var changed = web.pageVersions().process(page).until(YEAR.multipliedBy(5)).last();
        assertThat(text(html(request(page).atTime(changed)))).isNotEqualTo(text(first));
    }

    private static String text(String html) {
        var document = Jsoup.parse(html);
        document.select("nav, footer, script").remove();
        return document.text();
    }

    @ParameterizedTest
    @EnumSource(PageVersions.Deception.class)
    void conditionalRequestsAreAnsweredByTruthOrLie(PageVersions.Deception deception) {
        var pages = 0;
        for (var page = 0; page < web.pageCount(); page++) {
            var host = web.pages().host(page);
            if (!isOrdinary(page, Trait.VALIDATORS)
                    || web.pageVersions().deception(host) != deception
                    || web.version(page, DAY.multipliedBy(9)) == 0
                    || web.isAbsent(page, DAY.multipliedBy(9))
                    || host % 3 == 0) {
                continue;
            }
            pages++;
            var tag = field(respond(request(page)), "ETag: ");
            var again = respond(request(page).withAttempt(1).withValidators(tag, ""));
            var later =
                    respond(
                            request(page)
                                    .withAttempt(2)
                                    .withValidators(tag, "")
                                    .atTime(DAY.multipliedBy(9)));
            assertThat(again.status())
                    .isEqualTo(deception == PageVersions.Deception.NEW_TAGS ? 200 : 304);
            assertThat(later.status())
                    .isEqualTo(deception == PageVersions.Deception.ALWAYS_UNMODIFIED ? 304 : 200);
        }
        assertThat(pages).isGreaterThan(5);
    }

    @Test
    void aStrongTagNamesOneSequenceOfBytes() {
        var pages = 0;
        for (var page = 0; page < web.pageCount(); page++) {
            var host = web.pages().host(page);
            if (isOrdinary(page, Trait.VALIDATORS)
                    && web.hosts().has(host, Trait.BOILERPLATE)
                    && web.pageVersions().deception(host) == PageVersions.Deception.NONE
                    && host % 2 == 1
                    && host % 3 != 0) {
                pages++;
                var first = respond(request(page));
                var next = respond(request(page).atTime(DAY));
                assertThat(field(next, "ETag: ")).isNotEqualTo(field(first, "ETag: "));
                assertThat(respond(request(page).withAttempt(3)).body()).isEqualTo(first.body());
            }
        }
        assertThat(pages).isPositive();
    }

    @Test
    void sitemapsHaveTheDatesOfChangesOrOfTheRequest() {
        var honest = new HashSet<Boolean>();
        var now = DAY.multipliedBy(40);
        for (var host = 1; host < web.hostCount(); host++) {
            if (!web.hosts().has(host, Trait.SITEMAP_DATES)
                    || web.hosts().has(host, Trait.SITEMAP_INDEX)
                    || !web.hosts().isLive(host)) {
                continue;
            }
            honest.add(Sitemaps.isHonest(host));
            var request = SimulatedRequest.of(web.hostName(host), "/sitemap.xml").atTime(now);
            var dates = Jsoup.parse(html(request)).select("lastmod").eachText();
            var listed = web.sitemaps().listedPages(host);
            assertThat(dates).hasSameSizeAs(listed);
            for (var i = 0; i < dates.size(); i++) {
                var expected =
                        Sitemaps.isHonest(host)
                                ? web.pageVersions().modifiedAt(listed.get(i), now).toInstant()
                                : SimulatedWeb.FIRST_DAY.plus(now);
                assertThat(Instant.parse(dates.get(i))).isEqualTo(expected);
            }
        }
        assertThat(honest).hasSize(2);
    }

    @Test
    void somePagesAreMissingForAWhileAndComeBack() {
        var statuses = new HashSet<Integer>();
        var returned = 0;
        for (var page = 0; page < web.pageCount(); page++) {
            if (!isOrdinary(page, Trait.VANISHING)) {
                continue;
            }
            assertThat(respond(request(page)).status()).isEqualTo(200);
            var absent = 0;
            for (var day = 0; day < 60; day++) {
                var status = respond(request(page).atTime(DAY.multipliedBy(day))).status();
                assertThat(status != 200).isEqualTo(web.isAbsent(page, DAY.multipliedBy(day)));
                absent += status != 200 ? 1 : 0;
                statuses.add(status);
            }
            assertThat(absent).isIn(0, 15);
            returned += absent > 0 ? 1 : 0;
        }
        assertThat(returned).isPositive();
        assertThat(statuses).containsExactlyInAnyOrder(200, 404, 410);
    }

    @Test
    void aYearIsServedInSeconds() throws IOException {
        var spec = WebSpec.light(1, 2, 200).plain();
        var site = SimulatedWeb.of(spec.with(Hazard.CHANGES, Hazard.VALIDATORS));
        var page = site.pages().first(1);
        while (site.changesPerDay(page) < 0.1) {
            page++;
        }
        try (var server = SimulatedWebServer.start(site, ServerSettings.defaults())) {
            var url = site.url(page, server.port());
            var known = "";
            var transferred = 0;
            for (var day = 0; day < 365; day++) {
                var response = HttpTestClient.get(site, url, known);
                transferred += response.status() == 200 ? 1 : 0;
                known = "If-None-Match: " + response.field("etag") + "\r\n";
                server.advanceTime(DAY);
            }
            assertThat(server.now()).isGreaterThan(YEAR);
            assertThat(server.bytesSent()).isGreaterThan(365 * 50);
            var versions = new HashSet<Long>();
            for (var day = 0; day < 365; day++) {
                versions.add(site.version(page, DAY.multipliedBy(day)));
            }
            // The seconds of the test itself may contain a change.
            assertThat(transferred).isBetween(versions.size() - 1, versions.size() + 1);
        }
    }

    private int page(Trait trait) {
        var page = 0;
        while (!isOrdinary(page, trait) || web.changesPerDay(page) == 0) {
            page++;
        }
        return page;
    }

    private boolean isOrdinary(int page, Trait trait) {
        var host = web.pages().host(page);
        return web.pages().kind(page) == PageKind.ORDINARY
                && web.hosts().isLive(host)
                && web.hosts().has(host, trait)
                && !web.hosts().has(host, Trait.WINDOWS_1252);
    }

    private SimulatedRequest request(int page) {
        return new SimulatedRequest(
                web.hostName(web.pages().host(page)),
                web.pages().path(page),
                0,
                Duration.ZERO,
                false,
                "",
                "");
    }

    private SimulatedResponse respond(SimulatedRequest request) {
        return web.respond(request, PORT, new HiddenRateLimits(web)).orElseThrow();
    }

    private String html(SimulatedRequest request) {
        return new String(respond(request).body(), StandardCharsets.UTF_8);
    }

    private static String field(SimulatedResponse response, String start) {
        return response.fields().stream()
                .filter(field -> field.startsWith(start))
                .map(field -> field.substring(start.length()))
                .findFirst()
                .orElse("");
    }
}
