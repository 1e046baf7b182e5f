package dev.orbweaver.e2e.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.engine.CrawlOpener;
import dev.orbweaver.internal.fetch.NameServer;
import dev.orbweaver.internal.fetch.TestServer;
import dev.orbweaver.model.CrawlEnd;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The cheapest hostile hosts in one crawl; {@code bench/run zoo} has all of them. */
class HostileHostsTest {

    private static final List<String> CHEAP =
            List.of(
                    "long-link",
                    "endless-headers",
                    "endless-continue",
                    "endless-redirects",
                    "length-short",
                    "length-and-chunked",
                    "smuggled",
                    "calendar",
                    "garbage");

    @TempDir Path directory;

    @Test
    void theCheapestHostsKeepTheirBoundsTogether() throws Exception {
        var servers = new LinkedHashMap<HostileHost, TestServer>();
        try (var names = NameServer.start((_, _) -> List.of(HostileHost.ADDRESS))) {
            for (var name : CHEAP) {
                var host = HostileHosts.find(name);
                var socket = new ServerSocket(0, 100, InetAddress.ofLiteral(HostileHost.ADDRESS));
                servers.put(host, TestServer.start(socket, host.site().open(new Random(1))));
            }
            crawl(servers, names);
            var all = HostileOutcome.read(directory, List.of(), 0, "");
            servers.forEach((host, server) -> check(host, all.of(host, server.requests())));
        } finally {
            for (var server : servers.values()) {
                server.close();
            }
        }
    }

    private void crawl(Map<HostileHost, TestServer> servers, NameServer names) throws Exception {
        var seeds = new ArrayList<String>();
        servers.forEach((host, server) -> seeds.addAll(host.urls(server.port())));
        var allowed = HostileCrawl.allowed();
        var settingValues =
                new SettingValues()
                        .put(Settings.SEEDS, seeds)
                        .put(
                                allowed.getFirst().substring(2),
                                allowed.size() > 1 ? allowed.get(1) : "true")
                        .put("dns-server", "127.0.0.1:" + names.address().getPort())
                        .put("contact", "zoo@example.org")
                        .put("scope", "any")
                        .put("delay", "0")
                        .put("max-retries", "0")
                        .put("timeout", "5s")
                        .put("max-idle-wait", "0")
                        .put("min-free-disk", "0");
        try (var crawl = CrawlOpener.open(CrawlConfig.read(settingValues), directory)) {
            assertThat(crawl.run().reason())
                    .isIn(CrawlEnd.Reason.COMPLETE, CrawlEnd.Reason.WAITING);
        }
    }

    private static void check(HostileHost host, HostileOutcome hostileOutcome) {
        assertThat((long) hostileOutcome.requests().size())
                .as("requests to %s", host.name())
                .isBetween(2L, host.costLimits().requests());
        assertThat(host.check().problem(hostileOutcome))
                .as("%s: %s", host.name(), hostileOutcome.summary())
                .isEmpty();
        assertThat(hostileOutcome.count(HostileOutcome::isOwnFault)).as(host.name()).isZero();
    }

    @Test
    void everyBoundCanBeBroken() {
        var costLimits = new CostLimits(1, 2, 3, 4, 5);
        assertThat(costLimits.exceeded(figures(5, 1, 2, 3, 4))).isEmpty();
        assertThat(costLimits.exceeded(figures(6, 2, 3, 4, 5)))
                .containsExactly(
                        "requests 6 > 5",
                        "CPU ms 2 > 1",
                        "heap MB 3 > 2",
                        "disk KB 4 > 3",
                        "seconds 5 > 4");
    }

    private static HostileCrawl.CrawlCost figures(
            long requests, long cpu, long heap, long disk, int s) {
        return new HostileCrawl.CrawlCost("", "", requests, cpu, heap, disk, s, 1, List.of());
    }

    @Test
    void hostsHaveNamesOfTheirOwn() {
        assertThat(HostileHosts.all()).extracting(HostileHost::name).doesNotHaveDuplicates();
    }
}
