package dev.orbweaver.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The door, where the service wants a token. */
@ExtendWith(Browsing.class)
@Slow
class SignInTest {

    private static final String TOKEN = "an-old-loom-with-forty-shafts-0123456789";

    @Test
    void whoHasTheTokenComesInAndNobodyElse(Chromium chromium, @TempDir Path folder)
            throws Exception {
        try (var served = Served.withToken(folder, TOKEN);
                var window = chromium.window(Look.DESK)) {
            window.open(served.view("/fleet"));
            window.await("#token");
            window.picture("sign-in");
            window.find("#token").fill("guessed");
            window.page().keyboard().press("Enter");
            window.await("#token-problem:visible");
            window.find("#token").fill(TOKEN);
            window.page().keyboard().press("Enter");
            window.await("text=Everything runs in this process");
            assertThat(
                            window.isTrue(
                                    "!document.cookie &&"
                                            + " !JSON.stringify(localStorage).includes('loom')"))
                    .as("no script can read the token or the session")
                    .isTrue();
            window.click("#sign-out");
            window.await("#token");
            window.open(served.view("/"));
            window.page().reload();
            window.await("#token");
            window.assertQuiet(served.origin());
        }
    }
}
