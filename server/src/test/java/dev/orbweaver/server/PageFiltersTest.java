package dev.orbweaver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;

/** Filters and excerpts of the list of pages. */
class PageFiltersTest {

    @TempDir Path data;

    @Test
    void pagesAreFoundByTypeAndUrlAndHaveExcerptsOnDemand() throws Exception {
        try (var site = ServedSite.documentation(3);
                var crawlServer = ApiClient.serve(data);
                var apiClient = new ApiClient(crawlServer.port())) {
            site.html("/", "Home", "<a href=/guide/0.html>guide</a> <a href=/notes>notes</a>");
            site.put("/notes", 200, "text/plain", "silk", Map.of());
            var job = apiClient.submit(site.url("/"), "{}");
            var _ = apiClient.awaitEnd(job);
            var pages = "/api/v1/jobs/" + job + "/pages?";
            var plain = apiClient.get(pages + "kind=page&type=Text/Plain");
            assertThat(plain.at("/items/0/url").asString()).isEqualTo(site.url("/notes"));
            assertThat(plain.path("total").asInt()).isEqualTo(1);
            var one = apiClient.get(pages + "url=" + site.url("/guide/1.html"));
            assertThat(one.path("total").asInt()).isEqualTo(1);
            assertThat(one.at("/items/0/title").asString()).isEqualTo("Chapter 1");
            var found = apiClient.get(pages + "q=silk+knots&excerpts=true");
            assertThat(found.path("total").asInt()).isEqualTo(3);
            assertThat(found.path("items").valueStream())
                    .allMatch(
                            hit ->
                                    hit.path("excerpt")
                                            .asString()
                                            .contains("Of silk and knots, part number"));
            assertThat(apiClient.get(pages + "q=silk").path("items").valueStream())
                    .noneMatch(hit -> hit.has("excerpt"));
        }
    }
}
