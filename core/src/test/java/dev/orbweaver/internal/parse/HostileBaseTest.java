package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.ThreadMXBean;

import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Supplier;

/** Documents whose base URL or references multiply the work or the size of their links. */
class HostileBaseTest {

    private static final long ALLOCATED_MAX = 400L << 20;
    private static final String LONG_BASE = "ignored a base URL of more than 8192 characters";

    @Test
    void aFeedWithAnUnboundedBaseCostsWorkInProportionToItsSize() {
        var base = "https://spider.example/" + "b".repeat(400_000) + "/";
        var feed = new StringBuilder("<rss xml:base=\"" + base + "\"><channel>");
        for (var i = 0; i < 20_000; i++) {
            feed.append("<item><link>").append(i).append("</link></item>");
        }
        var page = bounded(() -> feed(feed.append("</channel></rss>").toString()));
        assertThat(page.links()).hasSize(20_000);
        assertThat(page.truncated()).isEqualTo(LONG_BASE);
    }

    @Test
    void aPageWithAnUnboundedBaseCostsWorkInProportionToItsSize() {
        var html = new StringBuilder("<base href=\"/" + "b".repeat(400_000) + "/\">");
        for (var i = 0; i < 20_000; i++) {
            html.append("<a href=").append(i).append(">");
        }
        var page = bounded(() -> Pages.parse(html.toString()));
        assertThat(page.links()).hasSize(20_000);
        assertThat(page.truncated()).isEqualTo(LONG_BASE);
    }

    @Test
    void theLinksOfAPageHaveABoundedTotalLength() {
        var html = new StringBuilder("<base href=\"/" + "b".repeat(8_000) + "/\">");
        for (var i = 0; i < 100_000; i++) {
            html.append("<a href=").append(i).append(">");
        }
        var page = bounded(() -> Pages.parse(html.toString()));
        var chars = page.links().stream().mapToLong(link -> link.url().text().length()).sum();
        assertThat(chars).isBetween(LinkSet.CHARS_MAX + 0L, LinkSet.CHARS_MAX + 8_192L);
        assertThat(page.truncated()).isEqualTo("links with more than 8388608 characters in total");
        assertThat(Pages.parse(html.toString())).isEqualTo(page);
    }

    @Test
    void referencesThatAreNoUrlsAreCounted() {
        var html = new StringBuilder();
        for (var i = 0; i < 10; i++) {
            html.append("<img srcset=\"");
            for (var j = 0; j < LinkSet.REFERENCES_MAX / 8; j++) {
                html.append("http://[").append(i * 100_000 + j).append(" 1x,");
            }
            html.append("\">");
        }
        html.append("<a href=last>");
        var page = Pages.parse(html.toString());
        assertThat(page.links()).isEmpty();
        assertThat(page.truncated()).isEqualTo("more than 200000 references");
    }

    @Test
    void referencesThatResolveToNothingCostTheirBase() {
        var html = new StringBuilder("<base href=\"/" + "b".repeat(8_000) + "/\">");
        for (var i = 0; i < 20_000; i++) {
            html.append("<a href=").append("x".repeat(200)).append(i).append(">");
        }
        var page = bounded(() -> Pages.parse(html.append("<a href=/last>").toString()));
        assertThat(page.links()).isEmpty();
        assertThat(page.truncated()).contains("67108864 characters of work");
    }

    @Test
    void aBaseOfTheLongestLengthCounts() {
        var path = "/" + "b".repeat(8_192 - "https://spider.example/".length() - 1) + "/";
        var page = Pages.parse("<base href=\"" + path + "\"><a href=/x>");
        assertThat(page.truncated()).isEmpty();
        var longer = Pages.parse("<base href=\"/b" + path + "\"><a href=x>");
        assertThat(longer.truncated()).isEqualTo(LONG_BASE);
        assertThat(Pages.links(longer, LinkKind.ANCHOR)).containsExactly("/web/x");
    }

    @Test
    void aRelThatRepeatsAWordCostsWorkInProportionToItsLength() {
        var rel = "alternate ".repeat(300_000);
        var page = Pages.parse("<link href=x rel=\"" + rel + "\">");
        assertThat(Pages.links(page, LinkKind.ALTERNATE)).containsExactly("/web/x");
    }

    private static Page bounded(Supplier<Page> parse) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var before = threads.getCurrentThreadAllocatedBytes();
        var page = parse.get();
        var allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).isLessThan(ALLOCATED_MAX);
        return page;
    }

    private static Page feed(String text) {
        var bytes = text.getBytes(UTF_8);
        var url = Pages.URLS.parse(Pages.ADDRESS).orElseThrow();
        var document = new Document(url, "application/rss+xml", List.of(), bytes, bytes.length);
        return new FeedParser(Pages.URLS).parse(document);
    }
}
