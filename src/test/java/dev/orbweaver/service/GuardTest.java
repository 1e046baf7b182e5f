package dev.orbweaver.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Tokens, sessions and limits, over real HTTP. */
@Timeout(180)
class GuardTest {

    private static final String ANN = "the-token-of-ann";
    private static final String BOB = "the-token-of-bob";

    /** So slow that nothing comes back while a test runs. */
    private static final double HARDLY_ANY = 1e-6;

    private static final double MANY = 10_000;

    @TempDir Path folder;
    private Optional<Service> service = Optional.empty();

    @AfterEach
    void close() throws IOException {
        if (service.isPresent()) {
            service.get().close();
        }
    }

    private int serve(boolean tokens, double callsPerSecond, int openJobsMax) throws Exception {
        var open = Service.Settings.onLoopback(0);
        var file =
                Files.writeString(folder.resolve("tokens"), "ann %s\nbob %s\n".formatted(ANN, BOB));
        var started =
                Service.start(
                        Caller.terms(folder.resolve("data")),
                        new Service.Settings(
                                open.address(),
                                0,
                                tokens ? Optional.of(file) : Optional.empty(),
                                callsPerSecond,
                                open.clientsMax(),
                                openJobsMax,
                                open.heartbeatMillis()));
        service = Optional.of(started);
        return started.port();
    }

    private static int jobs(Caller caller) throws Exception {
        return caller.call("GET", "/api/v1/jobs").statusCode();
    }

    @Test
    void whoHasUsedUpItsCallsIsToldToWaitAndOthersAreNot() throws Exception {
        var port = serve(true, HARDLY_ANY, 10);
        try (var ann = new Caller(port, Optional.of(ANN));
                var bob = new Caller(port, Optional.of(BOB))) {
            assertThat(jobs(ann)).isEqualTo(200);
            var refused = ann.call("GET", "/api/v1/jobs");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            assertThat(jobs(bob)).isEqualTo(200);
        }
    }

    @Test
    void callsComeBackWithTimeUpToWhatCanBeSavedUp() {
        var now = new AtomicLong();
        var quota = new Quota(3, 2, now::get);
        assertThat(taken(quota)).isEqualTo(3);
        now.addAndGet(500_000_000L);
        assertThat(taken(quota)).isEqualTo(1);
        now.addAndGet(250_000_000L);
        assertThat(taken(quota)).isZero();
        now.addAndGet(250_000_000L);
        assertThat(taken(quota)).isEqualTo(1);
        now.addAndGet(3_600_000_000_000L);
        assertThat(taken(quota)).isEqualTo(3);
        assertThat(quota.take("somebody else")).isTrue();
    }

    private static int taken(Quota quota) {
        var count = 0;
        while (count < 100 && quota.take("caller")) {
            count++;
        }
        return count;
    }

    @Test
    void aTokenIsNotComparedOnceTheGuessesOfItsAddressAreUsedUp() throws Exception {
        var file = Files.writeString(folder.resolve("tokens"), "ann " + ANN + "\n");
        var now = new AtomicLong();
        var guard = new Guard(Tokens.read(file), MANY, Instant::now, now::get);
        for (var guess = 0; guess < 20; guess++) {
            assertThat(guard.owner("192.0.2.1", "guess-" + guess)).isEmpty();
        }
        assertThatThrownBy(() -> guard.owner("192.0.2.1", ANN))
                .hasMessageContaining("wrong tokens");
        assertThat(guard.owner("192.0.2.2", ANN)).as("another address").contains("ann");
        now.addAndGet(1_000_000_000L);
        for (var call = 0; call < 100; call++) {
            assertThat(guard.owner("192.0.2.1", ANN))
                    .as("right tokens cost nothing")
                    .contains("ann");
        }
        assertThat(guard.owner("192.0.2.1", "guess")).isEmpty();
        assertThatThrownBy(() -> guard.owner("192.0.2.1", ANN))
                .hasMessageContaining("wrong tokens");
    }

    @Test
    void theAddressesOfOneIpv6NetworkGuessTogether() {
        assertThat(Guard.source("2001:db8:1:2::1"))
                .isEqualTo(Guard.source("[2001:db8:1:2:ffff::9]"));
        assertThat(Guard.source("2001:db8:1:2::1")).isNotEqualTo(Guard.source("2001:db8:1:3::1"));
        assertThat(Guard.source("192.0.2.1")).isNotEqualTo(Guard.source("192.0.2.2"));
    }

    @Test
    void noCallerTakesEverySeatAndThoseWhoLeftAreForgotten() {
        var seats = new Seats(3, 2, "full");
        var first = seats.take("ann");
        var second = seats.take("ann");
        assertThatThrownBy(() -> seats.take("ann")).hasMessage("full");
        var third = seats.take("bob");
        assertThatThrownBy(() -> seats.take("eve")).as("of three").hasMessage("full");
        first.close();
        second.close();
        assertThat(seats.callers()).isEqualTo(1);
        seats.take("eve").close();
        third.close();
        assertThat(seats.callers()).isZero();
    }

    @Test
    void wrongTokensAreHeldBackWhereTheyAreNotAskedForToo() throws Exception {
        var port = serve(true, MANY, 10);
        try (var liar = new Caller(port, Optional.of("the-token-of-nobody"));
                var nobody = new Caller(port)) {
            assertThat(jobs(liar)).isEqualTo(401);
            var tries = 0;
            while (tries < 1_000 && jobs(liar) == 401) {
                tries++;
            }
            assertThat(tries).as("wrong tokens before it is told to wait").isLessThan(1_000);
            assertThat(jobs(liar)).isEqualTo(429);
            assertThat(liar.call("GET", "/api/v1/session").statusCode()).isEqualTo(429);
            assertThat(jobs(nobody)).as("no guess").isEqualTo(401);
        }
    }

    @Test
    void signingInIsHeldBackToo() throws Exception {
        var port = serve(true, MANY, 10);
        try (var browser = new Caller(port)) {
            var tries = 0;
            while (tries < 1_000 && signIn(browser, "guess-" + tries).statusCode() == 401) {
                tries++;
            }
            assertThat(tries).isBetween(1, 999);
            assertThat(signIn(browser, ANN).statusCode()).isEqualTo(429);
        }
    }

    private static HttpResponse<String> signIn(Caller browser, String token) throws Exception {
        return browser.call("POST", "/api/v1/session", "{\"token\":\"%s\"}".formatted(token));
    }

    @Test
    void aTokenCountsInItsHeaderOnlyAndWhole() throws Exception {
        var port = serve(true, MANY, 10);
        try (var caller = new Caller(port)) {
            for (var header :
                    new String[] {
                        ANN,
                        "Basic " + ANN,
                        "Bearer " + ANN.substring(1),
                        "Bearer " + ANN + "x",
                        "Bearer " + ANN + " " + BOB,
                        "Bearer "
                    }) {
                var answer =
                        caller.send(
                                caller.request("/api/v1/jobs")
                                        .header("Authorization", header)
                                        .GET()
                                        .build());
                assertThat(answer.statusCode()).as(header).isEqualTo(401);
            }
            for (var path : new String[] {"?token=" + ANN, "?access_token=" + ANN}) {
                assertThat(caller.call("GET", "/api/v1/jobs" + path).statusCode())
                        .as(path)
                        .isEqualTo(401);
            }
            var cookie =
                    caller.send(
                            caller.request("/api/v1/jobs")
                                    .header("Cookie", Guard.COOKIE + "=" + ANN)
                                    .GET()
                                    .build());
            assertThat(cookie.statusCode()).as("a token is no session").isEqualTo(401);
        }
    }

    @Test
    void aSessionWorksUntilItIsEnded() throws Exception {
        var port = serve(true, MANY, 10);
        try (var browser = new Caller(port)) {
            var opened = signIn(browser, BOB);
            var cookie = opened.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
            assertThat(withCookie(browser, "GET", "/api/v1/jobs", cookie)).isEqualTo(200);
            assertThat(withCookie(browser, "DELETE", "/api/v1/session", cookie)).isEqualTo(204);
            assertThat(withCookie(browser, "GET", "/api/v1/jobs", cookie)).isEqualTo(401);
        }
    }

    @Test
    void aSessionEndsAfterSevenDaysWhateverTheBrowserDoes() {
        var now = new AtomicReference<>(Instant.EPOCH);
        var guard = new Guard(Tokens.none(), MANY, now::get);
        var id = guard.open("ann");
        now.set(Instant.EPOCH.plus(Duration.ofDays(7)).minusMillis(1));
        assertThat(guard.session(id)).contains("ann");
        now.set(Instant.EPOCH.plus(Duration.ofDays(7)));
        assertThat(guard.session(id)).isEmpty();
        assertThat(guard.session(guard.open("bob"))).contains("bob");
        assertThat(guard.session(id)).isEmpty();
    }

    @Test
    void theCookieOfAPageThatCameOverTlsGoesOverNothingElse() throws Exception {
        var port = serve(true, MANY, 10);
        try (var browser = new Caller(port)) {
            assertThat(cookieFor(browser, "https://127.0.0.1:" + port)).endsWith("; Secure");
            assertThat(cookieFor(browser, "http://127.0.0.1:" + port))
                    .contains("Max-Age=604800")
                    .doesNotContain("Secure");
        }
    }

    private static String cookieFor(Caller browser, String origin) throws Exception {
        var answer =
                browser.send(
                        browser.request("/api/v1/session")
                                .header("Content-Type", "application/json")
                                .header("Origin", origin)
                                .POST(BodyPublishers.ofString("{\"token\":\"" + ANN + "\"}"))
                                .build());
        return answer.headers().firstValue("Set-Cookie").orElseThrow();
    }

    private static int withCookie(Caller browser, String method, String path, String cookie)
            throws Exception {
        return browser.send(
                        browser.request(path)
                                .header("Cookie", cookie)
                                .method(method, BodyPublishers.noBody())
                                .build())
                .statusCode();
    }

    @Test
    void anIdempotencyKeyIsItsSendersOwn() throws Exception {
        var port = serve(true, MANY, 10);
        try (var site = ServedSite.documentation(1);
                var ann = new Caller(port, Optional.of(ANN));
                var bob = new Caller(port, Optional.of(BOB))) {
            var first = keyed(ann, site);
            assertThat(keyed(bob, site)).isNotEqualTo(first);
            assertThat(keyed(ann, site)).isEqualTo(first);
        }
    }

    private static int keyed(Caller caller, ServedSite site) throws Exception {
        var answer =
                caller.send(
                        caller.request("/api/v1/jobs")
                                .header("Content-Type", "application/json")
                                .header("Idempotency-Key", "k")
                                .POST(
                                        BodyPublishers.ofString(
                                                "{\"seeds\":[\"%s\"]}".formatted(site.url("/"))))
                                .build());
        return JsonMapper.shared().readTree(answer.body()).path("id").asInt();
    }

    @Test
    void thereAreOnlySoManyJobsThatHaveNotEnded() throws Exception {
        var port = serve(false, MANY, 1);
        try (var site = ServedSite.documentation(1);
                var caller = new Caller(port)) {
            var body = "{\"seeds\":[\"%s\"]}".formatted(site.url("/"));
            // It has two pages and waits an hour before the second.
            var job = caller.submit(site.url("/"), "{\"delay\":\"1h\"}");
            assertThat(caller.call("POST", "/api/v1/jobs", body).statusCode()).isEqualTo(429);
            assertThat(caller.call("POST", "/api/v1/jobs/" + job + "/stop").statusCode())
                    .isEqualTo(200);
            assertThat(caller.call("POST", "/api/v1/jobs", body).statusCode()).isEqualTo(202);
        }
    }

    @Test
    void anotherAddressThanLoopbackNeedsTokens() {
        var open = Service.Settings.onLoopback(0);
        assertThatThrownBy(
                        () ->
                                Service.start(
                                        Caller.terms(folder.resolve("data")),
                                        new Service.Settings(
                                                "0.0.0.0",
                                                0,
                                                Optional.empty(),
                                                open.callsPerSecond(),
                                                open.clientsMax(),
                                                open.openJobsMax(),
                                                open.heartbeatMillis())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("--token-file");
    }

    @Test
    void aTokenFileThatWouldLetAnybodyInIsRefused() throws Exception {
        for (var text : new String[] {"", "# nothing\n", "short\n", "ann bob " + ANN + "\n"}) {
            var file = Files.writeString(folder.resolve("bad"), text);
            assertThatThrownBy(() -> Tokens.read(file)).as(text).isInstanceOf(IOException.class);
        }
    }
}
