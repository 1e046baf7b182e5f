package dev.orbweaver.fleet.redis;

import static dev.orbweaver.internal.frontier.TestFrontier.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.FrontierFixtures;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** For all characters in URLs and hosts, Redis runs only the intended commands. */
@Slow
class HostileKeysTest {

    private static final List<String> HOSTS =
            List.of(
                    "{}.example",
                    "}{.example",
                    "{x}{y}.example",
                    "a\r\nFLUSHALL\r\n.example",
                    "nul\0.example",
                    "'quote\"`.example",
                    "'..redis.call('FLUSHALL')..'.example",
                    "%d+ %s $1 *3.example",
                    "a b  c.example",
                    "ü.example");

    private static final Set<String> INTENDED =
            Set.of(
                    "evalsha",
                    "eval",
                    "hsetnx",
                    "hget",
                    "hgetall",
                    "hset",
                    "hkeys",
                    "info",
                    "hello",
                    "client",
                    "rpush",
                    "lrange",
                    "exists",
                    "hdel",
                    "hmget",
                    "monitor",
                    "ping",
                    "del",
                    "auth",
                    "hexists",
                    "hincrby",
                    "smembers",
                    "zadd",
                    "zrangebyscore");

    @TempDir Path directory;

    @Test
    void monitorShowsOnlyTheIntendedCommands() throws IOException {
        try (var redis = RedisProcess.start(directory);
                var monitor = new Socket(InetAddress.getLoopbackAddress(), redis.port)) {
            monitor.setSoTimeout(30_000);
            monitor.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            monitor.getOutputStream().flush();
            var lines =
                    new BufferedReader(
                            new InputStreamReader(
                                    monitor.getInputStream(), StandardCharsets.ISO_8859_1));
            assertThat(lines.readLine()).isEqualTo("+OK");
            crawl(redis);
            assertThat(redis.command("ECHO", "the-end")).contains("the-end");
            assertThat(commands(lines)).isSubsetOf(INTENDED);
        }
    }

    private void crawl(RedisProcess redis) throws IOException {
        var now = Fixture.START;
        var settings =
                FleetFixtures.settings(redis.uri())
                        .withShards(3)
                        .withOverflowStore(
                                new OverflowStore.InFiles(directory.resolve("tails"), 0));
        try (var frontier = FleetFixtures.join(settings, FrontierFixtures.PLAIN, now)) {
            var found = new ArrayList<Candidate>();
            for (var i = 0; i < HOSTS.size(); i++) {
                var host = HOSTS.get(i);
                for (var page = 0; page < 2; page++) {
                    var text = "http://" + host + "/{" + host + "}'\"\r\n\0" + page;
                    var key = new Fingerprint(Long.MIN_VALUE + 1000L * i + page, (short) '\n');
                    found.add(new Candidate(new CrawlUrl(text, host, key), Hop.SEED, 0, 0));
                }
            }
            durable(frontier.offer(TestFrontier.JOB, found, now));
            frontier.spillAll();
            assertThat(frontier.spilledUrls(TestFrontier.JOB)).isEqualTo(found.size());
            var texts = new ArrayList<String>();
            for (var round = 0; round < 2; round++) {
                for (var lease : frontier.lease(100, now)) {
                    texts.add(lease.url().text());
                    var settlement =
                            Settlement.of(
                                    lease, new Outcome.Done(true, 1), new HostSignal.Healthy(now));
                    durable(frontier.settle(new CommitBatch(List.of(settlement), List.of()), now));
                }
                now = now.plusSeconds(1);
            }
            assertThat(texts)
                    .containsExactlyInAnyOrderElementsOf(
                            found.stream().map(each -> each.url().text()).toList());
            assertThat(frontier.seeds(TestFrontier.JOB)).hasSameSizeAs(found);
            assertThat(frontier.explain(TestFrontier.JOB, found.getFirst().url()).toString())
                    .startsWith("Settled");
            assertThat(frontier.ledger().done()).isEqualTo(found.size());
            durable(frontier.deleteJob(TestFrontier.JOB, now));
            assertThat(frontier.ledger().accepted()).isZero();
        }
    }

    /** Returns the commands run by clients; those of scripts are distinguished by their source. */
    private static Set<String> commands(BufferedReader lines) throws IOException {
        var words = new TreeSet<String>();
        for (var line = lines.readLine(); ; line = lines.readLine()) {
            var open = line.indexOf("] \"");
            var word = line.substring(open + 3, line.indexOf('"', open + 3));
            if (word.equalsIgnoreCase("ECHO")) {
                return words;
            }
            if (!line.contains(" lua] ")) {
                words.add(word.toLowerCase(Locale.ROOT));
            }
            assertThat(line.toLowerCase(Locale.ROOT)).doesNotContain("] \"flush");
        }
    }
}
