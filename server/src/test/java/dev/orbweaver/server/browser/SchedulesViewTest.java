package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.ApiClient;
import dev.orbweaver.server.browser.LoopbackSite.SiteResponse;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.Path;

/** The view of schedules, from the form to the history. */
@ExtendWith(BrowserExtension.class)
@Slow
class SchedulesViewTest {

    @TempDir private Path directory;

    private static void fill(BrowserWindow window, String field, String value) {
        window.find("#schedule-" + field).fill(value);
    }

    @Test
    void aScheduleIsCreatedRunPausedAndDeleted(Chromium chromium) throws Exception {
        try (var site = new LoopbackSite(_ -> SiteResponse.html("<title>Home</title>"));
                var server = ServerFixture.withoutToken(directory);
                var client = new ApiClient(URI.create(server.origin()).getPort());
                var window = chromium.window(Viewport.DESK)) {
            window.open(server.view("/schedules"));
            assertThat(window.text(".empty")).contains("No schedules yet");
            fill(window, "seeds", site.url("/"));
            fill(window, "name", "Documentation, weekdays");
            fill(window, "cron", "99 4 * * *");
            fill(window, "zone", "Europe/Berlin");
            window.click("text=Create schedule");
            window.await("#schedule-cron-problem:not([hidden])");
            assertThat(window.text("#schedule-cron-problem")).contains("numbers from 0 to 59");
            fill(window, "cron", "30 4 * * mon-fri");
            window.click("text=Create schedule");
            window.await(".schedule");
            assertThat(window.text(".schedule-next")).contains("Next run in ");
            assertThat(window.text(".schedule")).contains("30 4 * * mon-fri (Europe/Berlin)");
            window.click(".schedule >> text=Run now");
            window.await(".schedule >> text=job #1");
            assertThat(client.awaitEnd(1).path("state").asString()).isEqualTo("finished");
            window.await(".schedule .badge:text('finished')");
            window.click(".schedule summary");
            window.await(".schedule table");
            assertThat(window.text(".schedule table")).contains("on request");
            window.screenshot("schedules");
            try (var phone = chromium.window(Viewport.PHONE)) {
                phone.open(server.view("/schedules"));
                phone.await(".schedule");
                phone.click(".schedule summary");
                phone.await(".schedule table");
                phone.screenshot("phone-schedules");
                assertThat(phone.isTrue("document.documentElement.scrollWidth <= innerWidth"))
                        .as("no horizontal overflow")
                        .isTrue();
                phone.assertNoViolations(server.origin());
            }
            window.click(".schedule >> text=Pause");
            window.await(".schedule-next >> text=Paused: no run is planned.");
            window.click(".schedule >> text=Delete");
            window.click("dialog >> text=Delete schedule");
            window.await(".empty");
            assertThat(client.get("/api/v1/schedules").path("total").asInt()).isZero();
            window.assertNoViolations(server.origin());
        }
    }
}
