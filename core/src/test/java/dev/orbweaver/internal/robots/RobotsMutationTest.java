package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.testing.Fuzz;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** robots.txt and sitemaps after every kind of damage. */
class RobotsMutationTest {

    @Test
    void rulesAreReadFromAnyBytesAndJudgeAnyPath() {
        Fuzz.of(
                        "robots",
                        List.of(
                                """
                                User-agent: *
                                Disallow: /private/
                                Allow: /private/open-*.html$
                                Crawl-delay: 2.5

                                User-agent: weaver
                                User-agent: other # note
                                Disallow: /a%2Fb
                                Sitemap: https://a.test/sitemap.xml
                                """,
                                "User-agent: weaver\r\nDisallow:\r\n\r\nDisallow: /*?s=*&\r\n"),
                        "User-agent:",
                        "Disallow:",
                        "Allow:",
                        "Crawl-delay:",
                        "Sitemap:",
                        "*",
                        "**",
                        "$",
                        "#",
                        ":",
                        "\r",
                        "\n",
                        "\uFEFF",
                        "%",
                        "%2",
                        "%zz",
                        "%00",
                        "/",
                        "é",
                        "\u0000",
                        "weaver",
                        "1e9",
                        "-1",
                        "99999999999999999999",
                        "NaN",
                        "Infinity",
                        "0x1p3")
                .run(
                        (input, random) -> {
                            var rules = RobotsRules.parse(input, input.length, "weaver");
                            var from = random.nextInt(input.length + 1);
                            var until = Math.min(input.length, from + 40);
                            var path = "/" + new String(input, from, until - from, ISO_8859_1);
                            var verdict = rules.evaluate(path);
                            assertThat(verdict.line()).isBetween(0, input.length + 1);
                            rules.crawlDelay()
                                    .ifPresent(
                                            delay ->
                                                    assertThat(delay)
                                                            .isGreaterThanOrEqualTo(Duration.ZERO));
                        });
    }

    @Test
    void sitemapsAreReadFromAnyBytes() {
        Fuzz.of(
                        "sitemap",
                        List.of(
                                """
                                <?xml version="1.0" encoding="UTF-8"?>
                                <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
                                <url><loc>https://a.test/x?a=1&amp;b=2</loc><lastmod>2020-01-01</lastmod>
                                <priority>0.5</priority></url><url><loc><![CDATA[https://a.test/c]]></loc></url>
                                </urlset>
                                """,
                                "<sitemapindex><sitemap><loc>https://a.test/2.xml</loc></sitemap></sitemapindex>",
                                "<rss><channel><item><link>https://a.test/i</link><pubDate>Mon, 05"
                                        + " Feb 2018 01:00:00 GMT</pubDate></item></channel></rss>",
                                "<feed><entry><link href='https://a.test/e'/></entry></feed>",
                                "https://a.test/1\nhttps://a.test/2\n"),
                        "<",
                        ">",
                        "</",
                        "/>",
                        "<!--",
                        "-->",
                        "<![CDATA[",
                        "]]>",
                        "<!DOCTYPE x [<!ENTITY a 'b'>]>",
                        "&a;",
                        "&amp;",
                        "&#x",
                        "&#0;",
                        "&#1114112;",
                        "<loc>",
                        "</loc>",
                        "<url>",
                        "<lastmod>",
                        "<priority>",
                        "1e999",
                        "NaN",
                        "9999-99-99",
                        "2020-01-01T00:00:00+99:00",
                        "encoding='x'",
                        "xmlns:a='b'",
                        "a:",
                        "\u001F\u008B\b",
                        "\uFEFF",
                        "\u0000",
                        "é",
                        "http://",
                        "//")
                .run(
                        (input, random) -> {
                            var type = random.nextBoolean() ? "" : "text/xml; charset=utf-16";
                            var map =
                                    SitemapParser.parse(
                                            input, input.length, type, "https://a.test/s.xml");
                            assertThat(map.toString()).isNotEmpty();
                        });
    }
}
