package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.parse.CharacterReferences.TextContext;
import dev.orbweaver.internal.parse.HtmlTokenizer.Token;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.spi.Document;
import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The external test cases of link extraction. */
class LinkVectorsTest {

    private static final Set<LinkKind> NAVIGATION =
            EnumSet.of(LinkKind.ANCHOR, LinkKind.FRAME, LinkKind.REFRESH);

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);

    @ParameterizedTest
    @ValueSource(strings = {"link-cases", "link-cases-html5lib"})
    void pagesHaveTheLinksThatBrowsersSee(String file) {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("html-links/" + file + ".json");
        for (var test : cases) {
            var html = test.get("html").asString().getBytes(UTF_8);
            var url = urls.parse(test.get("document").asString()).orElseThrow();
            var page =
                    new HtmlParser(urls)
                            .parse(
                                    new Document(
                                            url,
                                            "text/html; charset=utf-8",
                                            List.of(),
                                            html,
                                            html.length));
            compare(test, "nav", page.links(), NAVIGATION, failures);
            compare(test, "res", page.links(), EnumSet.of(LinkKind.REQUISITE), failures);
        }
        report(failures, cases.size());
    }

    private static void compare(
            JsonNode test,
            String field,
            List<Link> links,
            Set<LinkKind> kinds,
            List<String> failures) {
        if (!test.has(field)) {
            return;
        }
        var expected = new TreeSet<String>();
        test.get(field).forEach(url -> expected.add(url.asString()));
        var actual = new TreeSet<String>();
        links.stream()
                .filter(link -> kinds.contains(link.kind()))
                .forEach(link -> actual.add(link.url().text()));
        if (!actual.equals(expected)) {
            failures.add(
                    "%s %s: %s%n  expected %s%n  but was  %s"
                            .formatted(
                                    test.get("id").asString(),
                                    field,
                                    test.get("html").asString(),
                                    expected,
                                    actual));
        }
    }

    @Test
    void srcsetsHaveTheCandidatesOfTheStandard() {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("html-links/srcset.json");
        for (var test : cases) {
            var expected = new ArrayList<String>();
            test.get("candidates").forEach(url -> expected.add(url.asString()));
            var actual = Srcset.urls(test.get("srcset").asString());
            if (!actual.equals(expected)) {
                failures.add(
                        "%s expected %s but was %s"
                                .formatted(test.get("srcset").asString(), expected, actual));
            }
        }
        report(failures, cases.size());
    }

    @Test
    void refreshesAreReadAsTheStandardSays() {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("html-links/meta-refresh.json");
        for (var test : cases) {
            var refresh = test.get("refresh");
            var expected =
                    refresh.isNull()
                            ? "none"
                            : refresh.get("seconds").asString()
                                    + " "
                                    + (refresh.get("url").isNull()
                                            ? "itself"
                                            : refresh.get("url").asString());
            var actual =
                    MetaRefresh.parse(test.get("content").asString())
                            .map(r -> r.seconds() + " " + r.url().orElse("itself"))
                            .orElse("none");
            if (!actual.equals(expected)) {
                failures.add(
                        "%s expected %s but was %s"
                                .formatted(test.get("content").asString(), expected, actual));
            }
        }
        report(failures, cases.size());
    }

    @Test
    void hrefsHaveTheValuesOfTheStandard() {
        var failures = new ArrayList<String>();
        var cases = Vectors.json("html-links/href-values.json");
        for (var test : cases) {
            var bytes = test.get("html").asString().getBytes(UTF_8);
            var tokenizer = new HtmlTokenizer(bytes, 0, bytes.length);
            var token = tokenizer.next();
            var index = token == Token.START_TAG ? tokenizer.attribute("href".getBytes(UTF_8)) : -1;
            var out = new Utf8Buffer();
            if (index >= 0) {
                CharacterReferences.decode(
                        bytes,
                        tokenizer.valueStart(index),
                        tokenizer.valueEnd(index),
                        TextContext.ATTRIBUTE,
                        out);
            }
            var expected = test.get("value").isNull() ? "" : test.get("value").asString();
            if (!out.toString().equals(expected)) {
                failures.add(
                        "%s expected %s but was %s"
                                .formatted(test.get("html").asString(), expected, out));
            }
        }
        report(failures, cases.size());
    }

    private static void report(List<String> failures, int cases) {
        assertThat(failures.stream().limit(20))
                .as("%d of %d fail", failures.size(), cases)
                .isEmpty();
    }
}
