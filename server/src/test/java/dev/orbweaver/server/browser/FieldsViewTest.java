package dev.orbweaver.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.server.ApiClient;
import dev.orbweaver.server.browser.LoopbackSite.SiteResponse;
import dev.orbweaver.testing.Eventually;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Fields of extractors on the view of a page. */
@ExtendWith(BrowserExtension.class)
@Slow
class FieldsViewTest {

    private static final String TITLE = "t".repeat(300);
    private static final String FIELDS =
            "\"fields\":{\"<b>name\":\"<img src=x onerror=alert(1)>\",\"price\":3.5,"
                    + "\"tags\":[\"a\",\"b\"]}";

    @TempDir private Path directory;

    /** The test writes the fields into the page log in place of the title, of the same length. */
    @Test
    void fieldsAreShownAsText(Chromium chromium) throws Exception {
        try (var site =
                        new LoopbackSite(
                                path ->
                                        path.equals("/")
                                                ? SiteResponse.html("<title>" + TITLE + "</title>")
                                                : SiteResponse.error(404));
                var server = ServerFixture.withoutToken(directory);
                var client = new ApiClient(URI.create(server.origin()).getPort())) {
            var job = client.submit(site.url("/"), "{}");
            var _ = client.awaitEnd(job);
            var pages = "/api/v1/jobs/" + job + "/pages?kind=page";
            // The list comes from the index, which follows the page log.
            var seq =
                    Eventually.value(
                            Eventually.LIMIT,
                            "the page is in the index",
                            () -> client.get(pages).at("/items/0/seq").asLong(),
                            number -> number > 0);
            var window = chromium.window(Viewport.DESK);
            try {
                window.open(server.view("/jobs/" + job + "/pages/" + seq));
                window.await("article.page .tabs");
                assertThat(window.isTrue("!document.body.textContent.includes('Extracted')"))
                        .as("no table without fields")
                        .isTrue();
                writeFields();
                window.open("about:blank");
                window.open(server.view("/jobs/" + job + "/pages/" + seq));
                var table = "article.page table:has(caption:text('Extracted fields')) ";
                window.await(table);
                assertThat(window.find(table + "tbody td").allTextContents())
                        .containsExactly(
                                "<b>name",
                                "<img src=x onerror=alert(1)>",
                                "price",
                                "3.5",
                                "tags",
                                "a, b");
                window.screenshot("page-fields");
                window.assertNoViolations(server.origin());
            } finally {
                window.close();
            }
        }
    }

    private void writeFields() throws IOException {
        try (var files = Files.walk(directory)) {
            var log = files.filter(it -> it.endsWith("pages.log")).findFirst().orElseThrow();
            var before = Files.readString(log);
            var titled = "\"title\":\"" + TITLE + "\"";
            assertThat(before).contains(titled);
            Files.writeString(
                    log,
                    before.replace(titled, FIELDS + " ".repeat(titled.length() - FIELDS.length())));
        }
    }
}
