package dev.orbweaver.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.FleetJobs;
import dev.orbweaver.config.Values;
import dev.orbweaver.frontier.redis.FleetSettings;
import dev.orbweaver.frontier.redis.RedisProcess;
import dev.orbweaver.service.Caller;
import dev.orbweaver.service.ServedSite;
import dev.orbweaver.service.Service;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** The dashboard of a service that is one of several workers. */
@ExtendWith(Browsing.class)
@Slow
class FleetViewTest {

    private static Service serve(RedisProcess redis, Path folder, String name) throws Exception {
        var fleet = FleetSettings.of(redis.uri(), "seen", name).withShards(8);
        var values = new Values().put("min-free-disk", "0").put("delay", "0");
        return Service.start(
                new FleetJobs.Terms(fleet, folder.resolve(name), 8, 8, true, values, List.of()),
                Service.Settings.onLoopback(0));
    }

    @Test
    void workersAreNamedAndItIsSaidThatPagesLieElsewhere(Chromium chromium, @TempDir Path folder)
            throws Exception {
        try (var redis = RedisProcess.start(folder.resolve("redis"));
                var site = ServedSite.documentation(3)) {
            int job;
            try (var first = serve(redis, folder, "first");
                    var caller = new Caller(first.port())) {
                job = caller.submit(site.url("/"), "{}");
                var _ = caller.awaitEnd(job);
            }
            try (var second = serve(redis, folder, "second");
                    var window = chromium.window(Look.DESK)) {
                var origin = "http://127.0.0.1:" + second.port();
                window.open(origin + "/#/jobs/" + job);
                window.await("text=0 of 4 pages lie with this worker");
                window.show(origin + "/#/fleet");
                window.await("text=second (this process)");
                assertThat(window.text(".trouble")).contains("append-only");
                window.await("text=8 shards");
                window.picture("fleet-of-workers");
                window.assertQuiet(origin);
            }
        }
    }
}
