package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import crawlercommons.robots.SimpleRobotRules;
import crawlercommons.robots.SimpleRobotRulesParser;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Random files compared with crawler-commons and with a slow, obvious matcher, and hostile ones.
 */
@Slow
class RobotsRandomTest {

    private static final List<String> AGENTS = List.of("weaver", "other", "third", "*");

    /**
     * Compares everything except the differences of {@link #crawlerCommonsDiffersInFourKnownWays}.
     */
    @Test
    void crawlerCommonsJudgesTheSame() {
        var seed = 9_309L;
        var random = new Random(seed);
        var oracle = new SimpleRobotRulesParser();
        for (var round = 0; round < 3_000; round++) {
            var text = file(random);
            var ours = ours(text);
            var theirs = theirs(oracle, text);
            for (var i = 0; i < 10; i++) {
                var path = path(random, "ab/.?=~", 8);
                assertThat(ours.evaluate(path).allowed())
                        .as("seed %d round %d, %s in%n%s", seed, round, path, text)
                        .isEqualTo(theirs.isAllowed("http://a.example" + path));
            }
            var delay = ours.crawlDelay().map(Duration::toMillis).orElse(Long.MIN_VALUE);
            assertThat(delay)
                    .as("seed %d round %d delay in%n%s", seed, round, text)
                    .isEqualTo(theirs.getCrawlDelay());
        }
    }

    @Test
    void crawlerCommonsDiffersInFourKnownWays() {
        // A dollar inside a pattern is special there; in RFC 9309 section 2.2.3 only at the end.
        assertThat(verdicts("Disallow: /x$y", "/x$y")).containsExactly(false, true);
        // There the star stops at the first match and is not extended for the dollar.
        assertThat(verdicts("Disallow: /a*.$", "/a..")).containsExactly(false, true);
        // A long delay forbids everything there; here it is a long delay.
        assertThat(verdicts("Crawl-delay: 301", "/")).containsExactly(true, false);
        // The last of several delays applies there, the longest here.
        var twice = "User-agent: weaver\nCrawl-delay: 9\nUser-agent: weaver\nCrawl-delay: 3";
        assertThat(ours(twice).crawlDelay()).contains(Duration.ofSeconds(9));
        assertThat(theirs(new SimpleRobotRulesParser(), twice).getCrawlDelay()).isEqualTo(3_000);
    }

    private static List<Boolean> verdicts(String line, String path) {
        var text = "User-agent: *\n" + line + "\n";
        return List.of(
                ours(text).evaluate(path).allowed(),
                theirs(new SimpleRobotRulesParser(), text).isAllowed("http://a.example" + path));
    }

    private static RobotsRules ours(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return RobotsRules.parse(bytes, bytes.length, "weaver");
    }

    private static SimpleRobotRules theirs(SimpleRobotRulesParser oracle, String text) {
        return oracle.parseContent(
                "http://a.example/robots.txt",
                text.getBytes(StandardCharsets.UTF_8),
                "text/plain",
                List.of("weaver"));
    }

    @Test
    void theTableDecidesAsTryingEveryRuleWould() {
        var seed = 4_711L;
        var random = new Random(seed);
        for (var round = 0; round < 5_000; round++) {
            var text = new StringBuilder("User-agent: *\n");
            // Some tables are large enough to have an index.
            for (var i = round % 100 == 0 ? 400 : random.nextInt(30); i >= 0; i--) {
                text.append(random.nextBoolean() ? "Allow: " : "Disallow: ")
                        .append(path(random, "aab/**", 6))
                        .append(random.nextInt(5) == 0 ? "$\n" : "\n");
            }
            var bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            var rules = RobotsRules.parse(bytes, bytes.length, "weaver");
            for (var i = 0; i < 20; i++) {
                var path = path(random, "aab/", 10);
                assertThat(rules.evaluate(path).line())
                        .as("seed %d round %d, %s in%n%s", seed, round, path, text)
                        .isEqualTo(slowly(text.toString(), path));
            }
        }
    }

    /** Returns the deciding line, by a regular expression for each rule. */
    private static int slowly(String text, String path) {
        var lines = text.split("\n", -1);
        var best = 0;
        var bestRank = -1;
        for (var i = 1; i < lines.length - 1; i++) {
            var pattern = lines[i].substring(lines[i].indexOf(' ') + 1);
            var regex = pattern.replace("*", ".*") + (pattern.endsWith("$") ? "" : ".*");
            var rank = 2 * pattern.length() + (lines[i].startsWith("A") ? 1 : 0);
            if (rank > bestRank && path.matches(regex)) {
                best = i + 1;
                bestRank = rank;
            }
        }
        return best;
    }

    @Test
    void noBytesMakeItThrow() {
        var seed = 31L;
        var random = new Random(seed);
        for (var round = 0; round < 5_000; round++) {
            var bytes = file(random).getBytes(StandardCharsets.UTF_8);
            for (var i = random.nextInt(10); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            var rules = RobotsRules.parse(bytes, random.nextInt(bytes.length + 1), "weaver");
            var path = new byte[random.nextInt(20)];
            random.nextBytes(path);
            assertThat(rules.evaluate(new String(path, StandardCharsets.UTF_8)))
                    .as("seed %d round %d", seed, round)
                    .isNotNull();
        }
    }

    @Test
    void hostilePatternsCostLinearTime() {
        var path = "/" + "a".repeat(8_000);
        var stars = "Disallow: /" + "*a".repeat(8_000) + "b$\n";
        var runs = "Disallow: /*" + "a".repeat(7_500) + "b\n";
        var many = "Disallow: /*a*a*a*b\n";
        var medium = "Disallow: /*" + "a".repeat(20) + "b\n";
        for (var line : List.of(stars, runs, many, medium)) {
            var text = "User-agent: *\n" + line.repeat(RobotsRules.BYTES_MAX / line.length());
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            var started = cpuNanos();
            var rules = RobotsRules.parse(bytes, bytes.length, "weaver");
            // Thousands of rules against thousands of bytes are too much: the path is forbidden.
            var costly = line.equals(many) || line.equals(medium);
            assertThat(rules.evaluate(path).allowed()).isEqualTo(!costly);
            assertThat(rules.evaluate("/" + "a".repeat(100)).allowed()).isTrue();
            var took = Duration.ofNanos(cpuNanos() - started);
            assertThat(took).as(line.substring(0, 15)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void tenThousandRulesAreJudgedWithoutLookingAtEach() {
        var text = new StringBuilder("User-agent: *\n");
        for (var i = 0; i < 10_000; i++) {
            text.append("Disallow: /shop/item-").append(i * 7919 % 10_000).append("/edit\n");
        }
        var bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        var rules = RobotsRules.parse(bytes, bytes.length, "weaver");
        var denied = 0;
        var started = cpuNanos();
        for (var i = 0; i < 200_000; i++) {
            denied += rules.evaluate("/shop/item-" + i % 20_000 + "/edit").allowed() ? 0 : 1;
        }
        var nanos = (cpuNanos() - started) / 200_000;
        System.out.println("10,000 rules: " + nanos + " ns a verdict");
        assertThat(denied).isEqualTo(100_000);
        assertThat(nanos).isLessThan(20_000);
    }

    /** Of this thread only, because other tests run at the same time. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static String file(Random random) {
        var text = new StringBuilder();
        for (var group = random.nextInt(4); group >= 0; group--) {
            for (var i = random.nextInt(2); i >= 0; i--) {
                var agent = AGENTS.get(random.nextInt(AGENTS.size()));
                text.append(random.nextBoolean() ? "User-agent: " : "user-AGENT:").append(agent);
                text.append(random.nextInt(4) == 0 ? " # note\n" : "\n");
                text.append(random.nextInt(5) == 0 ? "Host: a.example\n" : "");
            }
            for (var i = random.nextInt(5); i >= 0; i--) {
                text.append(random.nextBoolean() ? "Allow: " : "Disallow:");
                var slashed = path(random, "ab/*.?=~", 6);
                var pattern = random.nextInt(8) == 0 ? slashed.substring(1) : slashed;
                var anchored = random.nextInt(6) == 0 && !pattern.contains("*");
                text.append(pattern).append(anchored ? "$\r\n" : "\n");
            }
            if (random.nextInt(4) == 0 && text.indexOf("Crawl-delay") < 0) {
                text.append("Crawl-delay: ").append(random.nextInt(300)).append('\n');
            }
            text.append(random.nextBoolean() ? "\nHost: a.example\n" : "");
        }
        return text.toString();
    }

    private static String path(Random random, String alphabet, int lengthMax) {
        var path = new StringBuilder("/");
        for (var i = random.nextInt(lengthMax); i > 0; i--) {
            path.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return path.toString();
    }
}
