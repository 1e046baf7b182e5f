package dev.orbweaver.internal.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.spi.Fetcher.Resolution;
import dev.orbweaver.spi.Fetcher.Resolution.Forbidden;
import dev.orbweaver.spi.Fetcher.Resolution.Found;
import dev.orbweaver.spi.Fetcher.Resolution.NotFound;
import dev.orbweaver.testing.Slow;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tests the resolver through the fetcher, with a name server that lies. */
@Timeout(60)
@Slow
class AddressResolverTest {

    @TempDir Path temporary;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1/",
                "http://127.1/",
                "http://2130706433/",
                "http://0x7f.1/",
                "http://0177.0.0.01/",
                "http://127.0.0.1./",
                "http://10.0.0.1:8080/",
                "http://169.254.169.254/latest/meta-data/",
                "http://[::1]/",
                "http://[::ffff:7f00:1]/",
                "http://[64:ff9b::a9fe:a9fe]/",
                "http://localhost/",
                "http://LocalHost:6379/"
            })
    void literalsOfSpecialAddressesAreForbidden(String url) {
        try (var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(fetcher.resolve(TestFetcher.url(url))).isInstanceOf(Forbidden.class);
        }
    }

    @Test
    void literalsOfPublicAddressesAreFoundWithoutAsking() {
        try (var fetcher = TestFetcher.in(temporary).open()) {
            assertThat(address(fetcher, "http://8.8.8.8/")).isEqualTo("8.8.8.8");
            assertThat(address(fetcher, "http://134744072/")).isEqualTo("8.8.8.8");
            assertThat(address(fetcher, "http://[2606:4700:4700::1111]:8080/"))
                    .isEqualTo("2606:4700:4700:0:0:0:0:1111");
        }
    }

    @Test
    void whatTheUserNamedAsALiteralSeedIsGrantedAndNothingElse() {
        try (var fetcher =
                TestFetcher.in(temporary).allowingOrigin("http://127.0.0.1:8080").open()) {
            assertThat(address(fetcher, "http://127.0.0.1:8080/")).isEqualTo("127.0.0.1");
            assertThat(address(fetcher, "http://2130706433:8080/")).isEqualTo("127.0.0.1");
            assertThat(fetcher.resolve(TestFetcher.url("http://127.0.0.1:8081/")))
                    .isInstanceOf(Forbidden.class);
            assertThat(fetcher.resolve(TestFetcher.url("https://127.0.0.1:8080/")))
                    .isInstanceOf(Forbidden.class);
            assertThat(fetcher.resolve(TestFetcher.url("http://127.0.0.2/")))
                    .isInstanceOf(Forbidden.class);
            assertThat(fetcher.resolve(TestFetcher.url("http://localhost/")))
                    .isInstanceOf(Forbidden.class);
        }
        try (var fetcher = TestFetcher.in(temporary).allowingOrigin("http://localhost").open()) {
            assertThat(address(fetcher, "http://localhost/")).isIn("127.0.0.1", "0:0:0:0:0:0:0:1");
        }
    }

    /** A forger of a response has to guess the port besides the id (RFC 5452, section 9.2). */
    @Test
    void eachLookupUsesAPortOfItsOwnThatCannotBeForeseen() throws IOException {
        try (var server = NameServer.start((_, _) -> List.of("8.8.4.4"));
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            for (var i = 0; i < 50; i++) {
                assertThat(address(fetcher, "http://h" + i + ".example/")).isEqualTo("8.8.4.4");
            }
            var ports = server.ports().stream().sorted().toList();
            assertThat(ports).hasSizeGreaterThan(40);
            assertThat(ports.getLast() - ports.getFirst())
                    .as("spread, not one after the other")
                    .isGreaterThan(1_000);
        }
    }

    @Test
    void aQuestionThatIsLostIsAskedAgain() throws IOException {
        try (var server =
                        NameServer.start(
                                (_, question) -> List.of(question < 2 ? "silence" : "8.8.4.4"));
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            assertThat(address(fetcher, "http://lossy.example/")).isEqualTo("8.8.4.4");
        }
    }

    @Test
    void aNameThatEndsInADigitIsAName() throws IOException {
        try (var server = NameServer.start((_, _) -> List.of("8.8.4.4"));
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            assertThat(address(fetcher, "http://www.web2/")).isEqualTo("8.8.4.4");
            assertThat(address(fetcher, "http://host.a1./")).isEqualTo("8.8.4.4");
        }
    }

    @Test
    void aNameThatLeadsToASpecialAddressIsForbidden() throws IOException {
        try (var server = NameServer.start((name, _) -> zone(name));
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            assertThat(fetcher.resolve(TestFetcher.url("http://loop.example/")))
                    .isInstanceOf(Forbidden.class);
            assertThat(fetcher.resolve(TestFetcher.url("http://long.example/")))
                    .isInstanceOf(Forbidden.class);
            assertThat(address(fetcher, "http://both.example/")).isEqualTo("9.9.9.9");
            assertThat(address(fetcher, "http://public.example/")).isEqualTo("9.9.9.9");
            assertThat(fetcher.resolve(TestFetcher.url("http://none.example/")))
                    .isInstanceOf(NotFound.class);
        }
    }

    private static List<String> zone(String name) {
        return switch (name) {
            case "loop.example" -> List.of("127.0.0.1", "10.0.0.1");
            case "long.example" -> List.of("64:ff9b::7f00:1", "::1");
            case "both.example" -> List.of("192.168.0.1", "9.9.9.9");
            case "public.example" -> List.of("9.9.9.9");
            default -> List.of();
        };
    }

    @Test
    void aFixedAddressIsJudgedLikeAnyOther() {
        try (var fetcher =
                TestFetcher.in(temporary).withHostAddress("a.example", "10.0.0.1").open()) {
            assertThat(fetcher.resolve(TestFetcher.url("http://a.example/")))
                    .isInstanceOf(Forbidden.class);
        }
        try (var fetcher =
                TestFetcher.in(temporary).withHostAddress("a.example", "9.9.9.9").open()) {
            assertThat(address(fetcher, "http://a.example/")).isEqualTo("9.9.9.9");
        }
    }

    @Test
    void aNameServerThatFlipsToLoopbackNeverGetsAnAddressOfOursOut() throws IOException {
        try (var server =
                        NameServer.start(
                                (_, n) -> List.of(n % 2 == 0 ? "127.0.0.1" : "93.184.215.14"));
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            var forbidden = 0;
            for (var i = 0; i < 1_000; i++) {
                switch (fetcher.resolve(TestFetcher.url("http://flip.example/"))) {
                    case Found(var found) ->
                            assertThat(found.getHostAddress()).isEqualTo("93.184.215.14");
                    case Forbidden _ -> forbidden++;
                    case NotFound(var why, _) -> throw new AssertionError(why);
                }
            }
            assertThat(forbidden).isPositive();
        }
    }

    @Test
    void theFlipToLoopbackGivesNoConnectionInAThousandTries() throws Exception {
        try (var secret = TestServer.start(v -> v.respondToAll("HTTP/1.1 200 OK\r\n\r\nsecret"));
                var dns =
                        NameServer.start(
                                (_, n) -> List.of(n % 2 == 0 ? "127.0.0.1" : "93.184.215.14"));
                var fetcher = TestFetcher.in(temporary).withNameServer(dns.address()).open()) {
            var url = TestFetcher.url("http://flip.example:" + secret.port() + "/");
            for (var i = 0; i < 1_000; i++) {
                // A public address is not connected to here, only loopback.
                if (fetcher.resolve(url) instanceof Found(var found)
                        && AddressGuard.classify(found).isPresent()) {
                    var _ = fetcher.fetch(url, found);
                }
            }
            assertThat(dns.queries()).isEqualTo(1_000);
            assertThat(secret.connections()).isZero();
            assertThat(fetcher.stats().connectionsOpened()).isZero();
        }
    }

    @Test
    void anAnswerIsRememberedAsLongAsItLasts() throws IOException {
        try (var server = NameServer.start((_, _) -> List.of("9.9.9.9"), 300);
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            for (var i = 0; i < 20; i++) {
                assertThat(address(fetcher, "http://a.example/")).isEqualTo("9.9.9.9");
            }
            assertThat(server.queries()).isEqualTo(1);
        }
    }

    @Test
    void thatThereIsNoSuchNameIsRememberedToo() throws IOException {
        try (var server = NameServer.start((_, _) -> List.of(), 300);
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            for (var i = 0; i < 20; i++) {
                assertThat(fetcher.resolve(TestFetcher.url("http://a.example/")))
                        .isInstanceOf(NotFound.class);
            }
            assertThat(server.queries()).isEqualTo(1);
        }
    }

    @Test
    void anAliasIsFollowedAndJudgedByWhereItEnds() throws IOException {
        try (var server =
                        NameServer.start(
                                (name, _) ->
                                        switch (name) {
                                            case "good.example" -> List.of("cname end.example");
                                            case "bad.example" -> List.of("cname in.example");
                                            case "in.example" -> List.of("127.0.0.1");
                                            default -> List.of("9.9.9.9");
                                        });
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            assertThat(address(fetcher, "http://good.example/")).isEqualTo("9.9.9.9");
            assertThat(fetcher.resolve(TestFetcher.url("http://bad.example/")))
                    .isInstanceOf(Forbidden.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cname loop.example", "cname LOOP.example", "garbage", "silence"})
    void aNameServerThatLeadsNowhereIsGivenUp(String answer) throws IOException {
        var brief = Duration.ofMillis(500);
        var patient = Duration.ofSeconds(30);
        try (var server = NameServer.start((_, _) -> List.of(answer));
                var fetcher =
                        TestFetcher.in(temporary)
                                .withNameServer(server.address())
                                .timeouts(brief, patient, patient)
                                .open()) {
            for (var i = 0; i < 3; i++) {
                assertThat(fetcher.resolve(TestFetcher.url("http://loop.example/")))
                        .isInstanceOf(NotFound.class);
            }
        }
    }

    @Test
    void aliasesWithoutEndAreGivenUp() throws IOException {
        try (var server =
                        NameServer.start(
                                (name, _) -> List.of("cname a" + name.length() + "." + name));
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            assertThat(fetcher.resolve(TestFetcher.url("http://x.example/")))
                    .isInstanceOf(NotFound.class);
        }
    }

    @Test
    void namesThatDnsCannotCarryAreNotFound() throws IOException {
        try (var server = NameServer.start((_, _) -> List.of());
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            for (var host :
                    List.of(
                            "a".repeat(64) + ".example",
                            "a..example",
                            "a.".repeat(126) + "com",
                            "-._~.example",
                            "xn--a.example",
                            "." + "example")) {
                TestFetcher.URLS
                        .parse("http://" + host + "/")
                        .ifPresent(
                                url ->
                                        assertThat(fetcher.resolve(url))
                                                .as(host)
                                                .isInstanceOf(NotFound.class));
            }
        }
    }

    @Test
    void theUrlsOfTheVectorsLeadNowhereTheyShouldNot() throws IOException {
        var failures = new ArrayList<String>();
        try (var server = NameServer.start((_, _) -> List.of("9.9.9.9"));
                var fetcher = TestFetcher.in(temporary).withNameServer(server.address()).open()) {
            for (var vector : Vectors.json("security/ssrf-urls.json")) {
                var text = vector.get("url").asString();
                var allowed =
                        TestFetcher.URLS
                                .parse(text)
                                .map(fetcher::resolve)
                                .filter(Found.class::isInstance)
                                .isPresent();
                if (allowed == vector.get("expect").asString().equals("refuse")) {
                    failures.add(text + ": " + vector.get("why").asString());
                }
            }
        }
        assertThat(failures).isEmpty();
    }

    private static String address(NettyFetcher fetcher, String url) {
        Resolution resolution = fetcher.resolve(TestFetcher.url(url));
        assertThat(resolution).isInstanceOf(Found.class);
        return ((Found) resolution).address().getHostAddress();
    }
}
