package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.ApiClient;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Tests sign-in to a service that requires a token. */
@ExtendWith(BrowserExtension.class)
@Slow
class SignInTest {

    private static final String TOKEN = "an-old-loom-with-forty-shafts-0123456789";

    @Test
    void onlyATokenSignsIn(Chromium chromium, @TempDir Path directory) throws Exception {
        try (var serverFixture = ServerFixture.withToken(directory, TOKEN);
                var browserWindow = chromium.window(Viewport.DESK)) {
            browserWindow.open(serverFixture.view("/fleet"));
            browserWindow.await("#token");
            browserWindow.screenshot("sign-in");
            browserWindow.find("#token").fill("guessed");
            browserWindow.page().keyboard().press("Enter");
            browserWindow.await("#token-problem:visible");
            browserWindow.find("#token").fill(TOKEN);
            browserWindow.page().keyboard().press("Enter");
            browserWindow.await("text=this process crawls alone");
            assertThat(
                            browserWindow.isTrue(
                                    "!document.cookie &&"
                                            + " !JSON.stringify(localStorage).includes('loom')"))
                    .as("no script can read the token or the session")
                    .isTrue();
            browserWindow.click("#sign-out");
            browserWindow.await("#token");
            browserWindow.open(serverFixture.view("/"));
            browserWindow.page().reload();
            browserWindow.await("#token");
            browserWindow.assertNoViolations(serverFixture.origin());
        }
    }

    @Test
    void aViewerIsOfferedNothingThatItMayNotDo(Chromium chromium, @TempDir Path directory)
            throws Exception {
        var viewer = "a-viewer-of-looms-that-may-only-look-0123456789";
        try (var server =
                        ServerFixture.withToken(
                                directory, "weaver " + TOKEN, "guest " + viewer + " role=viewer");
                var site = new LoopbackSite(ManualSite::respond);
                var client =
                        new ApiClient(URI.create(server.origin()).getPort(), Optional.of(TOKEN));
                var window = chromium.window(Viewport.DESK)) {
            var settings = "{\"delay\":\"0\",\"max-retries\":\"0\"}";
            var _ = client.awaitEnd(client.submit(site.url("/"), settings));
            window.open(server.view("/"));
            window.find("#token").fill(viewer);
            window.page().keyboard().press("Enter");
            window.await(".jobs tbody tr");
            assertThat(window.text("#role")).isEqualTo("viewer");
            assertThat(window.text(".job-seeds")).contains("by weaver");
            assertThat(window.find("#seeds, .icon-button:visible, [type=checkbox]").count())
                    .isZero();
            window.open(server.view("/jobs/1"));
            window.await(".job-labels:has-text('started by weaver')");
            assertThat(window.find(".job-head button:visible, .limits").count()).isZero();
            assertThat(window.find("summary:has-text('More')").isVisible()).isFalse();
            window.click("summary:has-text('Export')");
            window.await("a.menu-item[href$='/exports/markdown']");
            window.open(server.view("/jobs/1/failures"));
            window.await("td:has-text('/guide/broken')");
            assertThat(window.find("button:has-text('Retry')").count()).isZero();
            window.open(server.view("/schedules"));
            window.await(".empty");
            assertThat(window.find("main form").count()).isZero();
            window.assertNoViolations(server.origin());
        }
    }
}
