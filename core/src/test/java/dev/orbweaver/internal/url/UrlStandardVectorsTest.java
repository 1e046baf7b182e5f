package dev.orbweaver.internal.url;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.nio.charset.Charset;
import java.util.Optional;
import java.util.function.Function;

/** The web platform's own test cases for URL parsing, all levels of them. */
class UrlStandardVectorsTest {

    private static final String FAILURE = "failure";

    @Test
    void urlsParseAndSerialiseAsTheWebPlatformTestsSay() {
        var failures = new Failures();
        for (var test : Vectors.json("whatwg-url/urltestdata.json")) {
            var input = test.get("input").stringValue();
            var about = input + " against " + test.get("base");
            var url = parse(test);
            if (test.has("failure")) {
                failures.check(about, FAILURE, url.map(WhatwgUrl::href).orElse(FAILURE));
                continue;
            }
            expect(failures, test, url, "href", WhatwgUrl::href);
            expect(failures, test, url, "origin", WhatwgUrl::origin);
            expect(failures, test, url, "protocol", u -> u.scheme() + ":");
            expect(failures, test, url, "username", WhatwgUrl::username);
            expect(failures, test, url, "password", WhatwgUrl::password);
            expect(failures, test, url, "host", WhatwgUrl::authority);
            expect(failures, test, url, "hostname", u -> u.host().orElse(""));
            expect(failures, test, url, "port", UrlStandardVectorsTest::port);
            expect(failures, test, url, "pathname", WhatwgUrl::path);
            expect(failures, test, url, "search", u -> behind("?", u.query()));
            expect(failures, test, url, "hash", u -> behind("#", u.fragment()));
        }
        failures.assertNone();
    }

    private static Optional<WhatwgUrl> parse(JsonNode test) {
        var input = test.get("input").stringValue();
        if (test.get("base").isNull()) {
            return WhatwgUrl.parse(input);
        }
        return WhatwgUrl.parse(test.get("base").stringValue())
                .flatMap(base -> WhatwgUrl.parse(input, base));
    }

    private static void expect(
            Failures failures,
            JsonNode test,
            Optional<WhatwgUrl> url,
            String field,
            Function<WhatwgUrl, String> part) {
        if (test.has(field)) {
            failures.check(
                    field + " of " + test.get("input") + " against " + test.get("base"),
                    test.get(field).stringValue(),
                    url.map(part).orElse(FAILURE));
        }
    }

    private static String port(WhatwgUrl url) {
        return url.port().isPresent() ? Integer.toString(url.port().getAsInt()) : "";
    }

    private static String behind(String mark, Optional<String> part) {
        return part.filter(text -> !text.isEmpty()).map(text -> mark + text).orElse("");
    }

    @Test
    void domainsBecomeAsciiAsTheWebPlatformTestsSay() {
        hosts("whatwg-url/toascii.json");
    }

    @Test
    void domainsBecomeAsciiAsUnicodesOwnTestsSay() {
        hosts("whatwg-url/idna-test-v2.json");
    }

    private static void hosts(String file) {
        var failures = new Failures();
        for (var test : Vectors.json(file)) {
            var input = test.get("input").stringValue();
            var output = test.get("output");
            failures.check(
                    input + " (" + test.get("level") + ", " + test.get("comment") + ")",
                    output.isNull() ? FAILURE : output.stringValue(),
                    WhatwgUrl.parse("https://" + input + "/x")
                            .flatMap(WhatwgUrl::host)
                            .orElse(FAILURE));
        }
        failures.assertNone();
    }

    @Test
    void queriesAreEscapedInTheDocumentsEncoding() {
        var failures = new Failures();
        var base = WhatwgUrl.parse("https://example.org/").orElseThrow();
        for (var test : Vectors.json("whatwg-url/percent-encoding.json")) {
            var input = test.get("input").stringValue();
            for (var output : test.get("output").properties()) {
                failures.check(
                        input + " in " + output.getKey(),
                        output.getValue().stringValue(),
                        WhatwgUrl.parse("?" + input, base, Charset.forName(output.getKey()))
                                .flatMap(WhatwgUrl::query)
                                .orElse(FAILURE));
            }
        }
        failures.assertNone();
    }

    @Test
    void referencesResolveAsCrawlerCommonsSays() {
        var failures = new Failures();
        var urls = new CrawlUrls(Normalisation.DEFAULT);
        for (var test : Vectors.json("whatwg-url/crawler-commons-resolve.json")) {
            var input = test.get("input").stringValue();
            var base = test.get("base").stringValue();
            var resolved = test.get("resolved").stringValue();
            failures.check(
                    input + " against " + base,
                    resolved,
                    WhatwgUrl.parse(base)
                            .flatMap(parsed -> WhatwgUrl.parse(input, parsed))
                            .map(WhatwgUrl::href)
                            .orElse(FAILURE));
            failures.check(
                    input + " as a link of " + base,
                    urls.parse(resolved),
                    new LinkResolver(urls, base)
                            .resolve(input, java.nio.charset.StandardCharsets.UTF_8));
        }
        failures.assertNone();
    }
}
