package dev.orbweaver.export.markdown;

import java.time.Instant;

/**
 * A page as Markdown.
 *
 * @param title its first heading, or what its title element says
 * @param description its meta description, empty where there is none
 * @param language as declared, empty where it is not
 * @param body the Markdown, ending in a line end; without raw HTML
 * @param quality from 0 (nothing, or an error page) to 100
 * @param tokens about how many tokens a language model reads in the body
 * @param simHash 64 bits that differ in few places where main texts differ in few words
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
        long simHash) {

    public MarkdownPage {
        if (quality < 0 || quality > 100 || tokens < 0) {
            throw new IllegalArgumentException("quality " + quality + ", tokens " + tokens);
        }
    }

    /** The body under a YAML head. */
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
        return head + "---\n\n" + body;
    }

    private static void line(StringBuilder head, String key, String value) {
        head.append(key).append(": ").append(value).append('\n');
    }

    /** A double-quoted scalar (YAML 1.2, 7.3.1), which any text fits into. */
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
