package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.ApiClient;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes screenshots of every view, light, dark, on a phone and on a wide screen, with a running
 * job, a finished one, one that has failed, and fifty more.
 */
@ExtendWith(BrowserExtension.class)
@EnabledIfSystemProperty(named = "orbweaver.screenshots", matches = "true")
@Slow
class ScreenshotsTest {

    private static final int MORE_JOBS = 50;
    private static final String FAST =
            "{\"delay\":\"0\",\"delay-ip\":\"0\",\"max-retries\":\"0\",\"traps\":\"off\"}";

    @Test
    void everyViewInEveryViewport(Chromium chromium, @TempDir Path directory) throws Exception {
        try (var server = ServerFixture.withoutToken(directory);
                var site = new LoopbackSite(ManualSite::respond);
                var client = new ApiClient(URI.create(server.origin()).getPort())) {
            take(chromium, server, Map.of("home-empty", "/"));
            var finished = client.submit(site.url("/"), FAST);
            var failed = client.submit("http://127.0.0.1:9/", FAST);
            var _ = client.awaitEnd(finished);
            var _ = client.awaitEnd(failed);
            for (var i = 0; i < MORE_JOBS; i++) {
                var _ = client.awaitEnd(client.submit(site.url("/api/weft"), FAST));
            }
            var running =
                    client.submit(
                            site.url("/endless/1"),
                            "{\"delay\":\"100ms\",\"traps\":\"off\",\"max-pages\":\"5000\"}");
            Eventually.until(
                    "the charts have some points",
                    () ->
                            client.get("/api/v1/jobs/" + running + "/history").at("/points").size()
                                    > 20);
            take(chromium, server, views(site, finished, failed, running));
        }
    }

    private static Map<String, String> views(
            LoopbackSite site, int finished, int failed, int running) {
        var views = new LinkedHashMap<String, String>();
        views.put("home", "/");
        views.put("schedules", "/schedules");
        views.put("fleet", "/fleet");
        views.put("missing", "/nowhere");
        views.put("running", "/jobs/" + running);
        views.put("running-pages", "/jobs/" + running + "/pages");
        views.put("running-report", "/jobs/" + running + "/report");
        views.put("running-host", "/jobs/" + running + "/hosts/127.0.0.1");
        views.put("failed", "/jobs/" + failed);
        views.put("failed-failures", "/jobs/" + failed + "/failures");
        var job = "/jobs/" + finished;
        views.put("finished", job);
        views.put("report", job + "/report");
        views.put("pages", job + "/pages");
        views.put("pages-search", job + "/pages?q=loom");
        views.put("pages-none", job + "/pages?q=nothing");
        for (var part : List.of("text", "source", "headers", "out", "in", "captures")) {
            views.put("page-" + part, job + "/pages/3?show=" + part);
        }
        views.put("host", job + "/hosts/127.0.0.1");
        views.put("site", job + "/site");
        views.put("failures", job + "/failures");
        views.put("compare", job + "/compare?with=" + running);
        views.put("why", job + "/why?url=" + site.url("/private/notes"));
        return views;
    }

    private static void take(Chromium chromium, ServerFixture server, Map<String, String> views) {
        for (var viewport : Viewport.values()) {
            try (var window = chromium.window(viewport)) {
                views.forEach(
                        (name, view) -> {
                            window.show(server.view(view));
                            window.screenshot(viewport + "-" + name);
                            assertThat(
                                            window.isTrue(
                                                    "document.documentElement.scrollWidth"
                                                            + " <= innerWidth"))
                                    .as("%s has no horizontal overflow at %s", name, viewport)
                                    .isTrue();
                        });
                window.assertNoViolations(server.origin());
            }
        }
    }
}
