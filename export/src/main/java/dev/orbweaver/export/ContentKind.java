package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.RepeatedBlocks;
import dev.orbweaver.internal.parse.HtmlTree;
import dev.orbweaver.spi.Document;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The forms in which the content of an HTML page can be returned as one text.
 *
 * <p>Each page is converted alone. Blocks that repeat on all pages of a site are therefore not
 * removed, as the Markdown export does: that needs two more passes over the crawl.
 */
public enum ContentKind {
    /** The main text without markup. */
    TEXT,
    /** The main content as Markdown. */
    MARKDOWN,
    /** The whole document, decoded from its character set. */
    HTML;

    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<ContentKind> byId(String id) {
        return Arrays.stream(values()).filter(kind -> kind.id().equals(id)).findFirst();
    }

    /** The ids, for messages. */
    public static final String IDS = "text, markdown or html";

    /** Converts an HTML document of any bytes. */
    String of(Document document) {
        var converter = new MarkdownConverter(new RepeatedBlocks(), false);
        return switch (this) {
            case TEXT -> converter.text(document);
            case MARKDOWN -> converter.convert(document, Instant.EPOCH).body();
            case HTML -> HtmlTree.text(document);
        };
    }
}
