package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Tests hazards without sockets. */
class HazardTest {

    private static final int PORT = 8080;
    private static final Duration DAY = Duration.ofDays(1);

    private final SimulatedWeb zoo = SimulatedWeb.of(WebSpec.allHazards(7, 120, 2_000));

    @Test
    void theZooHoldsEveryPolicyAndTrait() {
        for (var seed = 0L; seed < 10; seed++) {
            var web = SimulatedWeb.of(WebSpec.allHazards(seed, 100, 1_000));
            var policies = EnumSet.noneOf(SimulatedRobots.class);
            var traits = EnumSet.noneOf(Trait.class);
            for (var host = 0; host < web.hostCount(); host++) {
                policies.add(web.hosts().policy(host));
                for (var trait : Trait.values()) {
                    if (web.hosts().has(host, trait)) {
                        traits.add(trait);
                    }
                }
            }
            assertThat(policies).as("seed %s", seed).containsExactly(SimulatedRobots.values());
            assertThat(traits).as("seed %s", seed).containsExactly(Trait.values());
        }
    }

    @Test
    void theTruthOfAZooHoldsItsHonestPagesAndNothingFromATrap() {
        var groundTruth = groundTruth(zoo);
        var tame = groundTruth(SimulatedWeb.of(zoo.spec().without(trapsOf(zoo.spec()))));
        assertThat(groundTruth.pages()).hasSizeGreaterThan(1_800).isEqualTo(tame.pages());
        assertThat(groundTruth.pages()).noneMatch(zoo::isTrap);
    }

    @ParameterizedTest
    @EnumSource(
            value = Trait.class,
            names = {"CALENDAR", "SESSION_IDS", "REPEATING_PATHS", "FACETS", "SUBDOMAINS"})
    void aTrapIsEnteredFromTheFrontPageAndHasNoEnd(Trait trait) {
        var host = host(trait);
        var seen = new TreeSet<String>();
        var queue = new ArrayDeque<>(trapLinks(zoo.frontUrl(host, PORT)));
        assertThat(queue).isNotEmpty();
        while (seen.size() < 300) {
            var url = queue.remove();
            if (seen.add(url)) {
                queue.addAll(trapLinks(url));
            }
        }
        assertThat(seen).noneMatch(url -> zoo.find(url).isPresent());
    }

    @Test
    void aSoft404ReturnsTheSameTextForEveryMissingUrl() {
        var host = host(Trait.SOFT_404);
        var name = zoo.hostName(host);
        var lost = zoo.respond(SimulatedRequest.of(name, "/lost/1"), PORT, limits()).orElseThrow();
        var other =
                zoo.respond(SimulatedRequest.of(name, "/no/such/thing"), PORT, limits())
                        .orElseThrow();
        assertThat(lost.status()).isEqualTo(200);
        assertThat(other.body()).isEqualTo(lost.body());
        assertThat(zoo.isTrap("http://" + name + "/no/such/thing")).isTrue();
        assertThat(zoo.isTrap("http://" + name + "/robots.txt")).isFalse();
        var baited = new HashSet<String>();
        for (var i = 1; i < zoo.hosts().ordinaryPages(host); i++) {
            baited.addAll(trapLinks(zoo.url(zoo.pages().first(host) + i, PORT)));
        }
        assertThat(baited).hasSize(zoo.hosts().ordinaryPages(host) - 1);
    }

    @Test
    void subdomainsExistOnlyForWildcardHosts() {
        var name = zoo.hostName(host(Trait.SUBDOMAINS));
        assertThat(zoo.resolve("w42." + name)).isEqualTo(zoo.resolve(name)).isPresent();
        assertThat(zoo.resolve("x." + name)).isEmpty();
        assertThat(zoo.resolve("w42." + zoo.hostName(host(Trait.CALENDAR)))).isEmpty();
        assertThat(zoo.isTrap("http://w42." + name + "/")).isTrue();
        assertThat(respond("w42." + name, "/robots.txt").status()).isEqualTo(404);
    }

    @Test
    void robotsTxtIsAfterUpToFiveRedirectsOrTooMany() {
        for (var host = 0; host < zoo.hostCount(); host++) {
            var policy = zoo.hosts().policy(host);
            if (policy == SimulatedRobots.REDIRECTED || policy == SimulatedRobots.LOST) {
                var target = "/robots.txt";
                var redirects = 0;
                var simulatedResponse = respond(zoo.hostName(host), target);
                while (simulatedResponse.status() == 301) {
                    assertThat(zoo.robots().isRobotsFile(host, target)).isTrue();
                    assertThat(zoo.robots().completesRobots(host, target))
                            .isEqualTo(redirects == 5);
                    target = location(simulatedResponse);
                    redirects++;
                    simulatedResponse = respond(zoo.hostName(host), target);
                }
                assertThat(simulatedResponse.status()).isEqualTo(200);
                if (policy == SimulatedRobots.REDIRECTED) {
                    assertThat(redirects).isBetween(1, 5);
                    assertThat(zoo.robots().completesRobots(host, target)).isTrue();
                    assertThat(policy.allows("/private/shut-1")).isFalse();
                } else {
                    assertThat(redirects).isGreaterThan(5);
                    assertThat(policy.allows("/")).isTrue();
                }
            }
        }
    }

    @Test
    void aHugeRobotsTxtHasOneRuleWithinTheLimitAndOneAfterIt() {
        var text = new String(robots(SimulatedRobots.HUGE).body(), StandardCharsets.US_ASCII);
        var limit = 500 * 1024;
        assertThat(text.indexOf("Disallow: /private/\n")).isBetween(limit - 20_000, limit - 100);
        assertThat(text.indexOf("Disallow: /\n")).isGreaterThan(limit);
        assertThat(SimulatedRobots.HUGE.allows("/private/x")).isFalse();
        assertThat(SimulatedRobots.HUGE.allows("/x")).isTrue();
    }

    @Test
    void otherRobotsTxtIsUnauthorisedGoneOrHasNoResponse() {
        assertThat(robots(SimulatedRobots.UNAUTHORIZED).status()).isEqualTo(401);
        assertThat(robots(SimulatedRobots.GONE).status()).isEqualTo(410);
        assertThat(robots(SimulatedRobots.CLOSED).isClosed()).isTrue();
        assertThat(SimulatedRobots.UNAUTHORIZED.allows("/x")).isTrue();
        assertThat(SimulatedRobots.CLOSED.allows("/x")).isFalse();
        var shut = zoo.frontUrl(host(SimulatedRobots.CLOSED), PORT);
        assertThat(groundTruth(zoo).robotsUnreachable()).contains(shut);
    }

    @Test
    void aConditionalRequestGets304UntilThePageChanges() {
        var web =
                SimulatedWeb.of(WebSpec.light(5, 60, 900).with(Hazard.VALIDATORS, Hazard.CHANGES));
        var changed = 0;
        var kept = 0;
        for (var page = 0; page < web.pageCount(); page++) {
            var host = web.pages().host(page);
            if (web.pages().kind(page) != PageKind.ORDINARY
                    || !web.hosts().isLive(host)
                    || !web.hosts().has(host, Trait.VALIDATORS)) {
                continue;
            }
            var simulatedRequest = SimulatedRequest.of(web.hostName(host), web.pages().path(page));
            var first =
                    web.respond(simulatedRequest, PORT, new HiddenRateLimits(web)).orElseThrow();
            var tag = field(first, "ETag: ");
            var date = field(first, "Last-Modified: ");
            assertThat(tag + date).isNotEmpty();
            var again = simulatedRequest.withValidators(tag, date);
            assertThat(web.respond(again, PORT, new HiddenRateLimits(web)).orElseThrow().status())
                    .isEqualTo(304);
            var later = again.atTime(DAY.multipliedBy(5));
            var fresh = web.respond(later, PORT, new HiddenRateLimits(web)).orElseThrow();
            if (web.version(page, DAY.multipliedBy(5)) == web.version(page, Duration.ZERO)) {
                assertThat(fresh.status()).isEqualTo(304);
                assertThat(fresh.body()).isEmpty();
                kept++;
            } else {
                assertThat(fresh.status()).isEqualTo(200);
                assertThat(fresh.body()).isNotEqualTo(first.body());
                assertThat(field(fresh, "ETag: ") + field(fresh, "Last-Modified: "))
                        .isNotEqualTo(tag + date);
                changed++;
            }
        }
        assertThat(changed).isGreaterThan(50);
        assertThat(kept).isGreaterThan(50);
    }

    @Test
    void anotherTagBeatsADateThatWouldDo() {
        for (var page = 0; page < zoo.pageCount(); page++) {
            var host = zoo.pages().host(page);
            if (zoo.hosts().has(host, Trait.VALIDATORS)
                    && zoo.pages().kind(page) == PageKind.ORDINARY
                    && host % 3 == 2) {
                var date = "Fri, 01 Jan 2027 00:00:00 GMT";
                assertThat(
                                zoo.response(
                                                page,
                                                PORT,
                                                request(page).withValidators("\"other\"", date))
                                        .status())
                        .isEqualTo(200);
                assertThat(
                                zoo.response(page, PORT, request(page).withValidators("", date))
                                        .status())
                        .isEqualTo(304);
                assertThat(
                                zoo.response(
                                                page,
                                                PORT,
                                                request(page).withValidators("\"x\", *", date))
                                        .status())
                        .isEqualTo(200);
                assertThat(zoo.response(page, PORT, request(page).withValidators("*", "")).status())
                        .isEqualTo(304);
                assertThat(
                                zoo.response(
                                                page,
                                                PORT,
                                                request(page).withValidators("", "yesterday"))
                                        .status())
                        .isEqualTo(200);
                return;
            }
        }
        throw new AssertionError("the web has no host with both");
    }

    @Test
    void aHiddenLimitRejectsOnlyRequestsThatAreTooFast() {
        var tempers = new HashSet<Integer>();
        for (var host = 1; host < zoo.hostCount(); host++) {
            if (!zoo.hosts().has(host, Trait.HIDDEN_LIMIT)) {
                continue;
            }
            tempers.add(host % 3);
            var slow = limits();
            var hasty = limits();
            var taken = 0;
            for (var i = 0; i < 20; i++) {
                var calm = Duration.ofSeconds(i);
                assertThat(slow.tryAcquire(host, calm).admitted()).isTrue();
                var admission = hasty.tryAcquire(host, Duration.ofMillis(i));
                taken += admission.admitted() ? 1 : 0;
                assertThat(admission.fields())
                        .hasSize(!admission.admitted() && host % 2 == 0 ? 1 : 0);
            }
            assertThat(taken).isEqualTo(host % 3 == 1 ? 5 : 1);
        }
        assertThat(tempers).hasSize(3);
    }

    @Test
    void aMoodyHostIsStricterInEverySecondMinute() {
        var host = 2;
        while (host % 3 != 2 || !zoo.hosts().has(host, Trait.HIDDEN_LIMIT)) {
            host++;
        }
        var calm = HiddenRateLimits.limit(zoo, host, Duration.ZERO).intervalMillis();
        var strict = HiddenRateLimits.limit(zoo, host, Duration.ofMinutes(1));
        assertThat(strict.intervalMillis()).isEqualTo(4 * calm);
        var limits = limits();
        var minute = Duration.ofMinutes(1);
        assertThat(limits.tryAcquire(host, minute).admitted()).isTrue();
        assertThat(limits.tryAcquire(host, minute.plusMillis(2 * calm)).admitted()).isFalse();
        var name = zoo.hostName(host);
        var simulatedRequest =
                SimulatedRequest.of(name, "/robots.txt").atTime(minute.plusMillis(3 * calm));
        assertThat(zoo.respond(simulatedRequest, PORT, limits).orElseThrow().status())
                .isEqualTo(429);
    }

    @Test
    void responsesFailAtRandomInTheFirstTwoAttemptsAndNeverInTheThird() {
        var closed = 0;
        var errors = 0;
        var responses = 0;
        for (var page = 0; page < zoo.pageCount(); page++) {
            if (!zoo.hosts().has(zoo.pages().host(page), Trait.FAILURES)
                    || zoo.pages().kind(page) != PageKind.ORDINARY) {
                continue;
            }
            for (var attempt = 0; attempt < 3; attempt++) {
                var status = zoo.response(page, PORT, attempt, true).status();
                assertThat(zoo.response(page, PORT, attempt, true).status()).isEqualTo(status);
                if (attempt == 2) {
                    assertThat(status).isEqualTo(200);
                }
                closed += status == 0 ? 1 : 0;
                errors += status == 503 ? 1 : 0;
                responses++;
            }
        }
        assertThat(closed).isPositive();
        assertThat(errors).isPositive();
        assertThat(closed + errors).isBetween(responses / 24, responses / 6);
    }

    @Test
    void hostsHaveTheirOwnLatency() {
        var fastest = Integer.MAX_VALUE;
        var slowest = 0;
        for (var host = 1; host < zoo.hostCount(); host++) {
            if (zoo.hosts().has(host, Trait.LATENCY)) {
                var millis = zoo.response(zoo.pages().first(host), PORT, 2, true).latencyMillis();
                assertThat(millis).isBetween(0, zoo.spec().latencyMillisMax());
                fastest = Math.min(fastest, millis);
                slowest = Math.max(slowest, millis);
            }
        }
        assertThat(slowest).isGreaterThan(5 * fastest);
    }

    private Set<String> trapLinks(String url) {
        var uri = java.net.URI.create(url);
        var target = uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        var simulatedResponse =
                zoo.respond(
                                SimulatedRequest.of(uri.getHost(), target).withAttempt(2),
                                PORT,
                                limits())
                        .orElseThrow();
        assertThat(simulatedResponse.status()).as(url).isEqualTo(200);
        var response =
                zoo.find(url).isPresent()
                        ? zoo.response(zoo.find(url).getAsInt(), PORT, 2, false).body()
                        : simulatedResponse.body();
        var html = new String(response, StandardCharsets.UTF_8);
        var links = SimulatedWebTest.links(Jsoup.parse(html, url));
        links.removeIf(link -> !zoo.isTrap(link));
        return links;
    }

    private SimulatedRequest request(int page) {
        return SimulatedRequest.of(zoo.hostName(zoo.pages().host(page)), zoo.pages().path(page))
                .withAttempt(2);
    }

    private SimulatedResponse robots(SimulatedRobots policy) {
        return respond(zoo.hostName(host(policy)), "/robots.txt");
    }

    private SimulatedResponse respond(String name, String target) {
        return zoo.respond(SimulatedRequest.of(name, target), PORT, limits()).orElseThrow();
    }

    private HiddenRateLimits limits() {
        return new HiddenRateLimits(zoo);
    }

    private int host(Trait trait) {
        var host = 1;
        while (!zoo.hosts().has(host, trait) || zoo.hosts().ordinaryPages(host) < 4) {
            host++;
        }
        return host;
    }

    private int host(SimulatedRobots policy) {
        var host = 1;
        while (zoo.hosts().policy(host) != policy) {
            host++;
        }
        return host;
    }

    private static Hazard[] trapsOf(WebSpec spec) {
        return spec.hazards().stream().filter(Hazard::isTrap).toArray(Hazard[]::new);
    }

    private static GroundTruth groundTruth(SimulatedWeb web) {
        var terms = CrawlAssumptions.polite(CrawlAssumptions.ANY, Set.of("png", "zip"));
        return GroundTruth.of(web, PORT, List.of(web.hubUrl(PORT)), terms);
    }

    private static String location(SimulatedResponse simulatedResponse) {
        return field(simulatedResponse, "Location: ");
    }

    private static String field(SimulatedResponse simulatedResponse, String start) {
        return simulatedResponse.fields().stream()
                .filter(field -> field.startsWith(start))
                .map(field -> field.substring(start.length()))
                .findFirst()
                .orElse("");
    }
}
