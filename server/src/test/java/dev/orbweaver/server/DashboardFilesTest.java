package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which of the dashboard's files are found, and what is kept of those who ask for others. */
class DashboardFilesTest {

    private final Dashboard dashboard = new Dashboard();

    @Test
    void anExistingFileIsReadOnceAndCached() {
        var first = dashboard.file("/index.html");
        assertThat(first).isPresent();
        assertThat(dashboard.file("/index.html").orElseThrow()).isSameAs(first.orElseThrow());
        assertThat(dashboard.file("/views/pages.js")).isPresent();
        assertThat(dashboard.cachedFiles()).isEqualTo(2);
    }

    @Test
    void unknownNamesAreNotCached() {
        for (var i = 0; i < 1_000; i++) {
            assertThat(dashboard.file("/views/no" + i + ".js")).isEmpty();
        }
        assertThat(dashboard.cachedFiles()).isZero();
    }

    @Test
    void aPathThatIsTooLongOrNotPlainIsNoFile() {
        assertThat(dashboard.file("/a".repeat(100_000) + "/app.js")).isEmpty();
        assertThat(dashboard.file("/app" + ".js".repeat(100_000))).isEmpty();
        assertThat(dashboard.file("/../api/openapi.json")).isEmpty();
        assertThat(dashboard.file("//index.html")).isEmpty();
        assertThat(dashboard.file("/views/")).isEmpty();
    }
}
