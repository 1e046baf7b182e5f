package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.PrintableText;

import java.io.IOException;
import java.time.Instant;
import java.util.UUID;

/**
 * A feed with an entry per change (RFC 4287).
 *
 * <p>The id of an entry depends on the URL, the kind of change and the visit that found it, so a
 * reader that gets the feed again, also with another start time, knows the entries that it has.
 */
final class AtomChanges implements ChangeWriter {

    private final AtomicTextFile out;
    private final String crawl;

    /**
     * @param crawl a text that distinguishes the crawl from others and does not change
     * @param updated the time of the last visit
     */
    AtomChanges(AtomicTextFile out, String crawl, Instant updated) throws IOException {
        this.out = out;
        this.crawl = crawl;
        out.write(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <feed xmlns="http://www.w3.org/2005/Atom">
                  <id>%s</id>
                  <title>Changed pages</title>
                  <updated>%s</updated>
                  <author><name>Orbweaver</name></author>
                """
                        .formatted(id(crawl), updated));
    }

    @Override
    public void write(PageChange change) throws IOException {
        var url = escape(change.page().url());
        var title = change.page().title().strip();
        out.write(
                """
                  <entry>
                    <id>%s</id>
                    <title>%s</title>
                    <updated>%s</updated>
                    <link rel="alternate" href="%s"/>
                    <category term="%s"/>
                """
                        .formatted(
                                id(crawl, change.kind(), change.page().url(), change.time()),
                                title.isEmpty() ? url : escape(title),
                                change.time(),
                                url,
                                change.kind()));
        if (change instanceof PageChange.Changed changed) {
            writeLines(ChangedLines.of(changed.lines()));
        }
        out.write("  </entry>\n");
    }

    private void writeLines(ChangedLines lines) throws IOException {
        out.write("    <content type=\"text\">");
        for (var line : lines.removed()) {
            out.write(escape("-" + line) + "\n");
        }
        for (var line : lines.added()) {
            out.write(escape("+" + line) + "\n");
        }
        if (lines.omitted() > 0) {
            out.write("(%d more lines)\n".formatted(lines.omitted()));
        }
        out.write("</content>\n");
    }

    private static String id(Object... parts) {
        var text = new StringBuilder();
        for (var part : parts) {
            text.append(part).append('\n');
        }
        return "urn:uuid:" + UUID.nameUUIDFromBytes(text.toString().getBytes(UTF_8));
    }

    /** Returns the text of an element; characters that XML 1.0 does not allow become spaces. */
    private static String escape(String text) {
        return SitemapSet.escape(
                PrintableText.line(text).replace('\uFFFE', ' ').replace('\uFFFF', ' '));
    }

    @Override
    public void finish() throws IOException {
        out.write("</feed>\n");
    }
}
