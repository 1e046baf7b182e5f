package dev.orbweaver.export.markdown;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A page as Markdown.
 *
 * @param title the first heading, or the text of the title element
 * @param description the meta description; empty if there is none
 * @param language as declared; empty if it is not
 * @param body the Markdown, ending in a line end; without raw HTML
 * @param quality from 0 (no text, or an error page) to 100
 * @param tokens the estimated number of tokens of the body
 * @param simHash 64-bit SimHash of the main text; similar texts differ in few bits
 * @param fields the fields of extractors as a JSON object, empty when there are none
 * @param anchors the ids of the page, in the order of their positions in the body
 */
public record MarkdownPage(
        String url,
        String title,
        String description,
        String language,
        Instant fetchedAt,
        String body,
        int quality,
        int tokens,
        long simHash,
        String fields,
        List<Anchor> anchors) {

    /**
     * An id of the page.
     *
     * @param offset the position in the body, which is in the block that has the id
     */
    public record Anchor(int offset, String id) {}

    public MarkdownPage {
        anchors = List.copyOf(anchors);
        if (quality < 0 || quality > 100 || tokens < 0) {
            throw new IllegalArgumentException("quality " + quality + ", tokens " + tokens);
        }
    }

    /** Returns this page with another body, in which the anchors have been written. */
    public MarkdownPage withBody(String newBody) {
        return new MarkdownPage(
                url,
                title,
                description,
                language,
                fetchedAt,
                newBody,
                quality,
                tokens,
                simHash,
                fields,
                List.of());
    }

    /** Returns this page with the fields of extractors, as a JSON object or empty. */
    public MarkdownPage withFields(String json) {
        return new MarkdownPage(
                url,
                title,
                description,
                language,
                fetchedAt,
                body,
                quality,
                tokens,
                simHash,
                json,
                anchors);
    }

    /** Returns the body after YAML front matter. */
    public String withFrontMatter() {
        var head = new StringBuilder("---\n");
        line(head, "url", quoted(url));
        line(head, "title", quoted(title));
        line(head, "fetched-at", fetchedAt.toString());
        if (!description.isEmpty()) {
            line(head, "description", quoted(description));
        }
        if (!language.isEmpty()) {
            line(head, "language", quoted(language));
        }
        line(head, "quality", Integer.toString(quality));
        line(head, "tokens", Integer.toString(tokens));
        if (!fields.isEmpty()) {
            head.append("fields:\n");
            JsonMapper.shared()
                    .readTree(fields)
                    .forEachEntry((name, value) -> line(head, "  " + quoted(name), yaml(value)));
        }
        return head + "---\n\n" + body;
    }

    /** Texts are quoted, so that none is read as a number, a boolean or the end of the head. */
    private static String yaml(JsonNode value) {
        if (value.isString()) {
            return quoted(value.stringValue());
        }
        if (value.isArray()) {
            return value.valueStream()
                    .map(MarkdownPage::yaml)
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        // YAML 1.1 reads 1.0E10 as a text; with a sign, both versions read a number.
        var text = value.toString();
        return value.isFloatingPointNumber() && !text.contains("E-")
                ? text.replace("E", "E+")
                : text;
    }

    private static void line(StringBuilder head, String key, String value) {
        head.append(key).append(": ").append(value).append('\n');
    }

    /** Returns a double-quoted scalar (YAML 1.2, 7.3.1), which can represent any text. */
    private static String quoted(String text) {
        var out = new StringBuilder("\"");
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                default -> {
                    if (c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.append('"').toString();
    }
}
