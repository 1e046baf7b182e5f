package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.server.TokenFile.Token;

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

/** Tests tokens, sessions and rate limits over real HTTP. */
@Timeout(180)
class AccessControlTest {

    private static final String ANN = "the-token-of-ann";
    private static final String BOB = "the-token-of-bob";

    /** So low that no token is refilled during a test. */
    private static final double ALMOST_NONE = 1e-6;

    private static final double MANY = 10_000;

    @TempDir Path directory;
    private Optional<CrawlServer> crawlServer = Optional.empty();

    @AfterEach
    void close() throws IOException {
        if (crawlServer.isPresent()) {
            crawlServer.get().close();
        }
    }

    private int serve(boolean tokens, double callsPerSecond, int openJobsMax) throws Exception {
        var open = CrawlServer.HttpSettings.onLoopback(0);
        var file =
                Files.writeString(
                        directory.resolve("tokens"), "ann %s\nbob %s\n".formatted(ANN, BOB));
        var started =
                CrawlServer.start(
                        ApiClient.settings(directory.resolve("data")),
                        new CrawlServer.HttpSettings(
                                open.address(),
                                0,
                                tokens ? Optional.of(file) : Optional.empty(),
                                callsPerSecond,
                                open.clientsMax(),
                                openJobsMax,
                                open.heartbeatMillis()));
        crawlServer = Optional.of(started);
        return started.port();
    }

    private static int jobs(ApiClient apiClient) throws Exception {
        return apiClient.call("GET", "/api/v1/jobs").statusCode();
    }

    @Test
    void aRateLimitedCallerGets429AndOthersDoNot() throws Exception {
        var port = serve(true, ALMOST_NONE, 10);
        try (var ann = new ApiClient(port, Optional.of(ANN));
                var bob = new ApiClient(port, Optional.of(BOB))) {
            assertThat(jobs(ann)).isEqualTo(200);
            var refused = ann.call("GET", "/api/v1/jobs");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            assertThat(jobs(bob)).isEqualTo(200);
        }
    }

    @Test
    void callsAreRefilledOverTimeUpToTheBurst() {
        var now = new AtomicLong();
        var rateLimiter = new RateLimiter(3, 2, now::get);
        assertThat(acquired(rateLimiter)).isEqualTo(3);
        now.addAndGet(500_000_000L);
        assertThat(acquired(rateLimiter)).isEqualTo(1);
        now.addAndGet(250_000_000L);
        assertThat(acquired(rateLimiter)).isZero();
        now.addAndGet(250_000_000L);
        assertThat(acquired(rateLimiter)).isEqualTo(1);
        now.addAndGet(3_600_000_000_000L);
        assertThat(acquired(rateLimiter)).isEqualTo(3);
        assertThat(rateLimiter.tryAcquire("another caller")).isTrue();
    }

    private static int acquired(RateLimiter rateLimiter) {
        var count = 0;
        while (count < 100 && rateLimiter.tryAcquire("caller")) {
            count++;
        }
        return count;
    }

    @Test
    void aTokenIsNotComparedOnceTheGuessesOfItsAddressAreUsedUp() throws Exception {
        var file = Files.writeString(directory.resolve("tokens"), "ann " + ANN + "\n");
        var now = new AtomicLong();
        var accessControl = new AccessControl(ApiTokens.read(file), MANY, Instant::now, now::get);
        for (var guess = 0; guess < 20; guess++) {
            assertThat(accessControl.token("192.0.2.1", "guess-" + guess)).isEmpty();
        }
        assertThatThrownBy(() -> accessControl.token("192.0.2.1", ANN))
                .hasMessageContaining("wrong tokens");
        assertThat(accessControl.token("192.0.2.2", ANN).map(Token::name))
                .as("another address")
                .contains("ann");
        now.addAndGet(1_000_000_000L);
        for (var call = 0; call < 100; call++) {
            assertThat(accessControl.token("192.0.2.1", ANN))
                    .as("right tokens do not count")
                    .isPresent();
        }
        assertThat(accessControl.token("192.0.2.1", "guess")).isEmpty();
        assertThatThrownBy(() -> accessControl.token("192.0.2.1", ANN))
                .hasMessageContaining("wrong tokens");
    }

    @Test
    void theAddressesOfOneIpv6NetworkShareALimit() {
        assertThat(AccessControl.rateLimitKey("2001:db8:1:2::1"))
                .isEqualTo(AccessControl.rateLimitKey("[2001:db8:1:2:ffff::9]"));
        assertThat(AccessControl.rateLimitKey("2001:db8:1:2::1"))
                .isNotEqualTo(AccessControl.rateLimitKey("2001:db8:1:3::1"));
        assertThat(AccessControl.rateLimitKey("192.0.2.1"))
                .isNotEqualTo(AccessControl.rateLimitKey("192.0.2.2"));
    }

    @Test
    void noCallerTakesEveryPermitAndReleasedCallersAreForgotten() {
        var concurrencyLimiter = new ConcurrencyLimiter(3, 2, "full");
        var first = concurrencyLimiter.acquire("ann");
        var second = concurrencyLimiter.acquire("ann");
        assertThatThrownBy(() -> concurrencyLimiter.acquire("ann")).hasMessage("full");
        var third = concurrencyLimiter.acquire("bob");
        assertThatThrownBy(() -> concurrencyLimiter.acquire("eve"))
                .as("of three")
                .hasMessage("full");
        first.close();
        second.close();
        assertThat(concurrencyLimiter.callerCount()).isEqualTo(1);
        concurrencyLimiter.acquire("eve").close();
        third.close();
        assertThat(concurrencyLimiter.callerCount()).isZero();
    }

    @Test
    void wrongTokensAreRateLimitedOnOpenCallsToo() throws Exception {
        var port = serve(true, MANY, 10);
        try (var liar = new ApiClient(port, Optional.of("the-token-of-eve"));
                var anonymous = new ApiClient(port)) {
            assertThat(jobs(liar)).isEqualTo(401);
            var tries = 0;
            while (tries < 1_000 && jobs(liar) == 401) {
                tries++;
            }
            assertThat(tries).as("wrong tokens until status 429").isLessThan(1_000);
            assertThat(jobs(liar)).isEqualTo(429);
            assertThat(liar.call("GET", "/api/v1/session").statusCode()).isEqualTo(429);
            assertThat(jobs(anonymous)).as("no token").isEqualTo(401);
        }
    }

    @Test
    void signInIsRateLimitedToo() throws Exception {
        var port = serve(true, MANY, 10);
        try (var browser = new ApiClient(port)) {
            var tries = 0;
            while (tries < 1_000 && signIn(browser, "guess-" + tries).statusCode() == 401) {
                tries++;
            }
            assertThat(tries).isBetween(1, 999);
            assertThat(signIn(browser, ANN).statusCode()).isEqualTo(429);
        }
    }

    private static HttpResponse<String> signIn(ApiClient browser, String token) throws Exception {
        return browser.call("POST", "/api/v1/session", "{\"token\":\"%s\"}".formatted(token));
    }

    @Test
    void aTokenCountsInItsHeaderOnlyAndWhole() throws Exception {
        var port = serve(true, MANY, 10);
        try (var apiClient = new ApiClient(port)) {
            for (var header :
                    new String[] {
                        ANN,
                        "Basic " + ANN,
                        "Bearer " + ANN.substring(1),
                        "Bearer " + ANN + "x",
                        "Bearer " + ANN + " " + BOB,
                        "Bearer "
                    }) {
                var response =
                        apiClient.send(
                                apiClient
                                        .request("/api/v1/jobs")
                                        .header("Authorization", header)
                                        .GET()
                                        .build());
                assertThat(response.statusCode()).as(header).isEqualTo(401);
            }
            for (var path : new String[] {"?token=" + ANN, "?access_token=" + ANN}) {
                assertThat(apiClient.call("GET", "/api/v1/jobs" + path).statusCode())
                        .as(path)
                        .isEqualTo(401);
            }
            var cookie =
                    apiClient.send(
                            apiClient
                                    .request("/api/v1/jobs")
                                    .header("Cookie", AccessControl.COOKIE + "=" + ANN)
                                    .GET()
                                    .build());
            assertThat(cookie.statusCode()).as("a token is not a session id").isEqualTo(401);
        }
    }

    @Test
    void aSessionWorksUntilItIsEnded() throws Exception {
        var port = serve(true, MANY, 10);
        try (var browser = new ApiClient(port)) {
            var opened = signIn(browser, BOB);
            var cookie = opened.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
            assertThat(withCookie(browser, "GET", "/api/v1/jobs", cookie)).isEqualTo(200);
            assertThat(withCookie(browser, "DELETE", "/api/v1/session", cookie)).isEqualTo(204);
            assertThat(withCookie(browser, "GET", "/api/v1/jobs", cookie)).isEqualTo(401);
        }
    }

    @Test
    void aSessionEndsAfterSevenDaysOnTheServer() throws Exception {
        var now = new AtomicReference<>(Instant.EPOCH);
        var file =
                Files.writeString(
                        directory.resolve("tokens"), "ann " + ANN + "\nbob " + BOB + "\n");
        var apiTokens = ApiTokens.read(file);
        var ann = apiTokens.find(ANN).orElseThrow();
        var bob = apiTokens.find(BOB).orElseThrow();
        var accessControl = new AccessControl(apiTokens, MANY, now::get);
        var id = accessControl.openSession(ann);
        now.set(Instant.EPOCH.plus(Duration.ofDays(7)).minusMillis(1));
        assertThat(accessControl.session(id)).contains(ann);
        now.set(Instant.EPOCH.plus(Duration.ofDays(7)));
        assertThat(accessControl.session(id)).isEmpty();
        assertThat(accessControl.session(accessControl.openSession(bob))).contains(bob);
        assertThat(accessControl.session(id)).isEmpty();
    }

    @Test
    void theCookieOfAPageOverTlsIsSecure() throws Exception {
        var port = serve(true, MANY, 10);
        try (var browser = new ApiClient(port)) {
            assertThat(cookieFor(browser, "https://127.0.0.1:" + port)).endsWith("; Secure");
            assertThat(cookieFor(browser, "http://127.0.0.1:" + port))
                    .contains("Max-Age=604800")
                    .doesNotContain("Secure");
        }
    }

    private static String cookieFor(ApiClient browser, String origin) throws Exception {
        var response =
                browser.send(
                        browser.request("/api/v1/session")
                                .header("Content-Type", "application/json")
                                .header("Origin", origin)
                                .POST(BodyPublishers.ofString("{\"token\":\"" + ANN + "\"}"))
                                .build());
        return response.headers().firstValue("Set-Cookie").orElseThrow();
    }

    private static int withCookie(ApiClient browser, String method, String path, String cookie)
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
                var ann = new ApiClient(port, Optional.of(ANN));
                var bob = new ApiClient(port, Optional.of(BOB))) {
            var first = keyed(ann, site);
            assertThat(keyed(bob, site)).isNotEqualTo(first);
            assertThat(keyed(ann, site)).isEqualTo(first);
        }
    }

    private static int keyed(ApiClient apiClient, ServedSite site) throws Exception {
        var response =
                apiClient.send(
                        apiClient
                                .request("/api/v1/jobs")
                                .header("Content-Type", "application/json")
                                .header("Idempotency-Key", "k")
                                .POST(
                                        BodyPublishers.ofString(
                                                "{\"seeds\":[\"%s\"]}".formatted(site.url("/"))))
                                .build());
        return JsonMapper.shared().readTree(response.body()).path("id").asInt();
    }

    @Test
    void theNumberOfOpenJobsIsLimited() throws Exception {
        var port = serve(false, MANY, 1);
        try (var site = ServedSite.documentation(1);
                var apiClient = new ApiClient(port)) {
            var body = "{\"seeds\":[\"%s\"]}".formatted(site.url("/"));
            // The job has two pages and waits an hour before the second.
            var job = apiClient.submit(site.url("/"), "{\"delay\":\"1h\"}");
            assertThat(apiClient.call("POST", "/api/v1/jobs", body).statusCode()).isEqualTo(429);
            assertThat(apiClient.call("POST", "/api/v1/jobs/" + job + "/stop").statusCode())
                    .isEqualTo(200);
            assertThat(apiClient.call("POST", "/api/v1/jobs", body).statusCode()).isEqualTo(202);
        }
    }

    @Test
    void anotherAddressThanLoopbackNeedsTokens() {
        var open = CrawlServer.HttpSettings.onLoopback(0);
        assertThatThrownBy(
                        () ->
                                CrawlServer.start(
                                        ApiClient.settings(directory.resolve("data")),
                                        new CrawlServer.HttpSettings(
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
    void aTokenFileWithoutAValidTokenIsRejected() throws Exception {
        for (var text : new String[] {"", "# nothing\n", "short\n", "ann bob " + ANN + "\n"}) {
            var file = Files.writeString(directory.resolve("bad"), text);
            assertThatThrownBy(() -> ApiTokens.read(file)).as(text).isInstanceOf(IOException.class);
        }
    }
}
