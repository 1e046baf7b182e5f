package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.fleet.FleetJobs;
import dev.orbweaver.fleet.redis.FleetSettings;
import dev.orbweaver.fleet.redis.RedisProcess;
import dev.orbweaver.internal.config.SettingValues;
import dev.orbweaver.server.ApiClient;
import dev.orbweaver.server.CrawlServer;
import dev.orbweaver.server.ServedSite;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The dashboard of a service that is one of several workers. */
@ExtendWith(BrowserExtension.class)
@Slow
class FleetViewTest {

    private static CrawlServer serve(RedisProcess redis, Path directory, String name)
            throws Exception {
        var fleet = FleetSettings.of(redis.uri(), "seen", name).withShards(8);
        var settingValues = new SettingValues().put("min-free-disk", "0").put("delay", "0");
        return CrawlServer.start(
                new FleetJobs.FleetJobsSettings(
                        fleet, directory.resolve(name), 8, 8, true, settingValues, List.of()),
                CrawlServer.HttpSettings.onLoopback(0));
    }

    @Test
    void workersAndPagesOfOtherWorkersAreShown(Chromium chromium, @TempDir Path directory)
            throws Exception {
        try (var redis = RedisProcess.start(directory.resolve("redis"));
                var site = ServedSite.documentation(3)) {
            int job;
            try (var first = serve(redis, directory, "first");
                    var apiClient = new ApiClient(first.port())) {
                job = apiClient.submit(site.url("/"), "{}");
                var _ = apiClient.awaitEnd(job);
            }
            try (var second = serve(redis, directory, "second");
                    var browserWindow = chromium.window(Viewport.DESK)) {
                var origin = "http://127.0.0.1:" + second.port();
                browserWindow.open(origin + "/#/jobs/" + job);
                browserWindow.await("text=0 of 4 pages stored on this worker");
                browserWindow.show(origin + "/#/fleet");
                browserWindow.await("text=second (this process)");
                assertThat(browserWindow.text(".problem")).contains("append-only");
                browserWindow.await("text=8 shards");
                browserWindow.screenshot("fleet-of-workers");
                browserWindow.assertNoViolations(origin);
            }
        }
    }
}
