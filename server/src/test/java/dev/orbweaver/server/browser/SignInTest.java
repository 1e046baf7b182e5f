package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

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
}
