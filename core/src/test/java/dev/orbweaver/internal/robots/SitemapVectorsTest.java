package dev.orbweaver.internal.robots;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.orbweaver.testing.Vectors;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The external test cases for sitemaps. */
class SitemapVectorsTest {

    @Test
    void filesYieldTheListedEntries() throws IOException {
        var failures = new Failures();
        for (var c : Vectors.json("sitemaps/expected.json")) {
            var bytes = Files.readAllBytes(Vectors.path("sitemaps/" + c.get("file").asString()));
            var sitemap =
                    SitemapParser.parse(
                            bytes,
                            bytes.length,
                            c.get("content_type").asString(),
                            c.get("url").asString());
            var problems = problems(sitemap, c.get("expect"));
            failures.check("must", problems.isEmpty(), problems + " for " + c.get("file"));
        }
        failures.report("sitemaps");
    }

    @Test
    void datesAreRead() {
        var failures = new Failures();
        for (var c : Vectors.json("sitemaps/dates.json")) {
            var date = SitemapDates.parse(c.get("input").asString());
            failures.check("must", date.equals(instant(c.get("utc"))), date + " for " + c);
        }
        failures.report("dates");
    }

    @Test
    void entitiesThatWouldExpandToFortyMegabytesCostLessThanSixteen() throws IOException {
        var bytes = Files.readAllBytes(Vectors.path("sitemaps/files/quadratic.xml"));
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var before = threads.getCurrentThreadAllocatedBytes();

        var sitemap =
                SitemapParser.parse(bytes, bytes.length, "text/xml", "http://a.example/s.xml");

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(16 << 20);
        assertThat(sitemap.entries()).hasSizeLessThan(2);
    }

    private static List<String> problems(Sitemap sitemap, JsonNode expect) {
        var problems = new ArrayList<String>();
        var urls = new ArrayList<>(sitemap.sitemaps());
        sitemap.entries().forEach(entry -> urls.add(entry.url()));
        var kind = expect.get("kind").asString();
        check(problems, "malformed", !kind.equals("malformed") || sitemap.malformed());
        check(problems, "index", !kind.equals("index") || sitemap.entries().isEmpty());
        if (expect.has("urls")) {
            check(problems, "urls " + urls, urls.equals(texts(expect.get("urls"))));
        }
        if (expect.has("count")) {
            check(problems, "count " + urls, urls.size() == expect.get("count").asInt());
        }
        if (expect.has("count_at_most")) {
            check(problems, "at most", urls.size() <= expect.get("count_at_most").asInt());
        }
        if (expect.has("must_contain")) {
            check(problems, "contain", urls.containsAll(texts(expect.get("must_contain"))));
        }
        check(problems, "schemes", urls.stream().allMatch(url -> url.startsWith("http")));
        dates(problems, sitemap, expect);
        return problems;
    }

    private static void dates(List<String> problems, Sitemap sitemap, JsonNode expect) {
        var entries = sitemap.entries();
        for (var i = 0; i < entries.size(); i++) {
            var entry = entries.get(i);
            if (expect.has("lastmod")) {
                var wanted = instant(expect.get("lastmod").get(i));
                check(problems, "lastmod " + entry, entry.lastModified().equals(wanted));
            }
            if (expect.has("item_date_ms")) {
                var wanted = expect.get("item_date_ms").get(i);
                var date =
                        wanted.isNull()
                                ? Optional.<Instant>empty()
                                : Optional.of(Instant.ofEpochMilli(wanted.asLong()));
                check(problems, "date " + entry, entry.lastModified().equals(date));
            }
            if (expect.has("priority")) {
                var wanted = expect.get("priority").get(i);
                var good =
                        wanted.isNull()
                                ? entry.priority().isEmpty()
                                : entry.priority().orElse(-1) == wanted.asDouble();
                check(problems, "priority " + entry, good);
            }
        }
    }

    private static void check(List<String> problems, String what, boolean good) {
        if (!good) {
            problems.add(what);
        }
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }

    private static Optional<Instant> instant(JsonNode utc) {
        if (utc.isNull()) {
            return Optional.empty();
        }
        var text = utc.asString();
        return Optional.of(
                text.contains("T")
                        ? Instant.parse(text)
                        : LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC));
    }
}
