package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.spi.Document;

import org.junit.jupiter.api.Test;

import java.util.List;

class HtmlTreeTest {

    private static int paragraphs(int count) {
        var text = ("<p>".repeat(count) + "<h1>end</h1>").getBytes(US_ASCII);
        var url = new CrawlUrls(Normalisation.DEFAULT).parse("http://a.test/").orElseThrow();
        var tree = HtmlTree.of(new Document(url, "text/html", List.of(), text, text.length));
        return tree.body().childrenSize();
    }

    @Test
    void aDocumentOfVeryManyTagsIsReadUpToALimit() {
        assertThat(paragraphs(10)).isEqualTo(11);
        assertThat(paragraphs(HtmlTree.TAGS_MAX + 10)).isEqualTo(HtmlTree.TAGS_MAX);
    }
}
