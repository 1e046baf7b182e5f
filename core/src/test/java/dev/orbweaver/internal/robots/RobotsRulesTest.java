package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.robots.RobotsRules.Verdict;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

class RobotsRulesTest {

    @Test
    void theLongestRuleDecidesAndItsLineIsNamed() {
        var rules = parse("# hello\nUser-agent: *\nDisallow: /a\n\nAllow: /a/b # but this\n");

        assertThat(rules.evaluate("/a/c")).isEqualTo(new Verdict(false, 3, "Disallow: /a"));
        assertThat(rules.evaluate("/a/b/c")).isEqualTo(new Verdict(true, 5, "Allow: /a/b"));
        assertThat(rules.evaluate("/")).isEqualTo(new Verdict(true, 0, ""));
    }

    @Test
    void ofEquallyLongRulesTheOneThatAllowsWins() {
        assertThat(parse("User-agent: *\nDisallow: /x\nAllow: /x").evaluate("/x"))
                .isEqualTo(new Verdict(true, 3, "Allow: /x"));
    }

    @Test
    void groupsOfTheSameNameAreOneAndBeingNamedFreesFromTheRestOfTheFile() {
        var text = "User-agent: Weaver\nDisallow: /a\nUser-agent: *\nDisallow: /\n";
        var rules = parse(text + "User-agent: WEAVER/2.0\nDisallow: /b");

        assertThat(rules.evaluate("/a").line()).isEqualTo(2);
        assertThat(rules.evaluate("/b").line()).isEqualTo(6);
        assertThat(rules.evaluate("/c").allowed()).isTrue();
    }

    @Test
    void anUnknownLineBetweenNamesDoesNotPartThem() {
        var rules = parse("User-agent: weaver\nHost: x.example\nUser-agent: other\nDisallow: /a");

        assertThat(rules.evaluate("/a").allowed()).isFalse();
    }

    @Test
    void aNumberedNameIsAnotherCrawlers() {
        assertThat(parse("User-agent: weaver2\nDisallow: /").evaluate("/").allowed()).isTrue();
    }

    @Test
    void everyLineEndCountsOnce() {
        var rules = parse("\uFEFFUser-agent: *\r\n\r\nDisallow: /a\rDisallow: /b\nDisallow: /c");

        assertThat(rules.evaluate("/a").line()).isEqualTo(3);
        assertThat(rules.evaluate("/b").line()).isEqualTo(4);
        assertThat(rules.evaluate("/c").line()).isEqualTo(5);
    }

    @Test
    void starsAndTheFinalDollarAreSpecialAndTheirEncodedFormsAreNot() {
        var rules =
                parse(
                        """
                        User-agent: *
                        Disallow: /*.pdf$
                        Disallow: /a*b*c
                        Disallow: /s%2Ar
                        Disallow: /d%24
                        Disallow: /m$m
                        """);

        assertThat(rules.evaluate("/x/y.pdf").line()).isEqualTo(2);
        assertThat(rules.evaluate("/x/y.pdf?z").line()).isZero();
        assertThat(rules.evaluate("/a-b-b-cd").line()).isEqualTo(3);
        assertThat(rules.evaluate("/a-c-b").line()).isZero();
        assertThat(rules.evaluate("/s*r").line()).isEqualTo(4);
        assertThat(rules.evaluate("/star").line()).isZero();
        assertThat(rules.evaluate("/d$").line()).isEqualTo(5);
        assertThat(rules.evaluate("/m$m").line()).isEqualTo(6);
    }

    @Test
    void oneSpellingOfAPathIsAsGoodAsAnother() {
        var rules =
                parse(
                        """
                        User-agent: *
                        Disallow: /%7ejoe/café
                        Disallow: /a b
                        Disallow: /x%2fy
                        """);

        assertThat(rules.evaluate("/~joe/caf%C3%A9").line()).isEqualTo(2);
        assertThat(rules.evaluate("/%7Ejoe/caf%c3%a9/1").line()).isEqualTo(2);
        assertThat(rules.evaluate("/a%20b").line()).isEqualTo(3);
        assertThat(rules.evaluate("/x%2Fy").line()).isEqualTo(4);
        assertThat(rules.evaluate("/x/y").line()).isZero();
    }

    @Test
    void theFileItselfMayAlwaysBeFetched() {
        assertThat(parse("User-agent: *\nDisallow: /").evaluate("/robots.txt").allowed()).isTrue();
        assertThat(RobotsRules.denyAll("no answer").evaluate("/robots.txt").allowed()).isTrue();
        assertThat(RobotsRules.denyAll("503").evaluate("/"))
                .isEqualTo(new Verdict(false, 0, "503"));
        assertThat(RobotsRules.ALLOW_ALL.evaluate("/")).isEqualTo(new Verdict(true, 0, ""));
    }

    @Test
    void aLineCutByTheLimitIsDroppedAndWholeOnesBeforeItCount() {
        var head = "User-agent: *\nDisallow: /kept\n";
        var filler = "#".repeat(RobotsRules.BYTES_MAX - head.length() - 13) + "\n";
        var rules = parse(head + filler + "Disallow: /cut-off\nDisallow: /beyond\n");

        assertThat(rules.evaluate("/kept").allowed()).isFalse();
        assertThat(rules.evaluate("/cut-off").allowed()).isTrue();
        assertThat(rules.evaluate("/c").allowed()).isTrue();
        assertThat(rules.evaluate("/beyond").allowed()).isTrue();
    }

    @Test
    void delaysMayHaveFractionsAndBeLongerThanAnyCrawl() {
        assertThat(delay("0.25")).isEqualTo(Duration.ofMillis(250));
        assertThat(delay(".5")).isEqualTo(Duration.ofMillis(500));
        assertThat(delay("86400")).isEqualTo(Duration.ofDays(1));
        assertThat(delay("9".repeat(400))).isEqualTo(Duration.ofDays(36_500));
        assertThat(parse("User-agent: *\nCrawl-delay: soon").crawlDelay()).isEmpty();
        assertThat(parse("User-agent: *\nCrawl-delay: -1").crawlDelay()).isEmpty();
        assertThat(parse("User-agent: *\nCrawl-delay: 1e9").crawlDelay()).isEmpty();
    }

    @Test
    void theLongestOfSeveralDelaysHolds() {
        var text = "User-agent: weaver\nCrawl-delay: 9\nUser-agent: weaver\nCrawl-delay: 3";

        assertThat(parse(text).crawlDelay()).contains(Duration.ofSeconds(9));
    }

    @Test
    void sitemapsBelongToTheWholeFile() {
        var rules = parse("User-agent: x\nDisallow: /\nSitemap: /s.xml\nsitemap:/s.xml\nSitemap:");

        assertThat(rules.sitemaps()).containsExactly("/s.xml");
    }

    @Test
    void bytesBeyondTheLengthAreNotRead() {
        var bytes = "User-agent: *\nDisallow: /abc".getBytes(StandardCharsets.UTF_8);

        assertThat(RobotsRules.parse(bytes, bytes.length - 2, "weaver").evaluate("/a").line())
                .isEqualTo(2);
        assertThat(
                        RobotsRules.parse(Arrays.copyOf(bytes, 4), 400, "weaver")
                                .evaluate("/abc")
                                .line())
                .isZero();
    }

    @Test
    void aUserAgentsFirstProductIsItsToken() {
        assertThat(ProductToken.of("Weaver/1.0 (+https://w.example)")).contains("weaver");
        assertThat(ProductToken.of("we_b-crawler")).contains("we_b-crawler");
        assertThat(ProductToken.of("Bot2/1.0")).isEmpty();
        assertThat(ProductToken.of("")).isEmpty();
    }

    private static Duration delay(String value) {
        return parse("User-agent: *\nCrawl-delay: " + value).crawlDelay().orElseThrow();
    }

    private static RobotsRules parse(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return RobotsRules.parse(bytes, bytes.length, "weaver");
    }
}
