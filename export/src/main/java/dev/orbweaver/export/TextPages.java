package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownConverter;
import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.PageVisitor;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.parse.HtmlParser;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Converts the HTML pages of a crawl to Markdown, in reading order.
 *
 * <p>The log is read three times: for the URLs of pages; for repeated blocks and links; and for the
 * conversion, which also applies the filters (quality, language, near-duplicates).
 */
final class TextPages {

    private final CrawlPages pages;
    private final ExportSettings.Text settings;
    private final RepeatedBlocksBySite repeatedBlocks;
    private final LongIndex keys = new LongIndex();
    private final NearDuplicateIndex textHashes = new NearDuplicateIndex();
    private final FileNames names = new FileNames();
    private long belowQuality;
    private long otherLanguage;
    private long nearDuplicates;
    private long notHtml;

    TextPages(CrawlPages pages, ExportSettings.Text settings, Path scratch) {
        this.pages = pages;
        this.settings = settings;
        this.repeatedBlocks = new RepeatedBlocksBySite(scratch);
    }

    void fill(TextStore store) throws IOException {
        pages.forEachPage(
                page -> {
                    if (page.isHtml()) {
                        keys.add(key(page));
                    } else {
                        notHtml++;
                    }
                });
        var order = new ReadingOrder(keys);
        forEachHtmlPage(page -> addToOrderAndBlocks(page, order));
        var ranks = order.ranks();
        forEachHtmlPage(page -> convert(page, ranks[keys.find(key(page))], store));
    }

    private void forEachHtmlPage(PageVisitor visitor) throws IOException {
        pages.forEachPage(
                page -> {
                    // A page that a running crawl added after the first pass is ignored.
                    if (page.isHtml() && keys.contains(key(page))) {
                        visitor.visit(page);
                    }
                });
    }

    private long key(StoredPage page) throws IOException {
        return pages.directoryOf(page)
                .urls()
                .parse(page.url())
                .orElseThrow(() -> new IOException("the page log has an invalid URL: " + page))
                .key()
                .high();
    }

    private void addToOrderAndBlocks(StoredPage page, ReadingOrder order) throws IOException {
        var urls = pages.directoryOf(page).urls();
        var links =
                pages.process(
                        page,
                        storedResponse -> {
                            repeatedBlocks.addPage(page.authority(), storedResponse.document());
                            return new HtmlParser(urls).parse(storedResponse.document()).links();
                        });
        order.add(key(page), links.orElse(List.of()));
    }

    private void convert(StoredPage page, int rank, TextStore store) throws IOException {
        var converter =
                new MarkdownConverter(repeatedBlocks.of(page.authority()), settings.images());
        var converted =
                pages.process(
                        page,
                        storedResponse -> {
                            var text =
                                    converter
                                            .convert(storedResponse.document(), page.time())
                                            .withFields(page.fields());
                            var print =
                                    settings.keepNearDuplicates()
                                            ? 0
                                            : TextFingerprint.of(text.body());
                            return new Converted(text, print);
                        });
        if (converted.isPresent() && isWanted(converted.get().text, converted.get().fingerprint)) {
            store.add(rank, new TextPage(names.uniquePath(page), converted.get().text));
        }
    }

    /** A converted page; {@code fingerprint} is 0 if near-duplicates are kept. */
    private record Converted(MarkdownPage text, long fingerprint) {}

    private boolean isWanted(MarkdownPage text, long print) {
        if (text.quality() < settings.qualityMin()) {
            belowQuality++;
            return false;
        }
        if (!settings.languages().isEmpty() && !isInWantedLanguage(text.language())) {
            otherLanguage++;
            return false;
        }
        if (!settings.keepNearDuplicates() && !isNew(print)) {
            nearDuplicates++;
            return false;
        }
        return true;
    }

    private boolean isNew(long print) {
        var known = textHashes.size();
        return print == 0 || textHashes.leader(print) == known;
    }

    /** Whether a language matches: "en" matches "en-GB" (RFC 4647, 3.3.1: basic filtering). */
    private boolean isInWantedLanguage(String language) {
        var tag = language.toLowerCase(Locale.ROOT).replace('_', '-');
        return settings.languages().stream()
                .map(wanted -> wanted.toLowerCase(Locale.ROOT).replace('_', '-'))
                .anyMatch(wanted -> tag.equals(wanted) || tag.startsWith(wanted + "-"));
    }

    /** Returns messages about omitted pages. */
    List<String> notes() {
        var notes = new ArrayList<String>();
        note(notes, notHtml, "no HTML");
        note(notes, belowQuality, "below the minimum quality");
        note(notes, otherLanguage, "in other languages");
        note(
                notes,
                nearDuplicates,
                "near-duplicate of another page (--keep-near-duplicates keeps these)");
        return notes;
    }

    private static void note(List<String> notes, long count, String why) {
        if (count > 0) {
            notes.add(
                    count == 1
                            ? "1 page was omitted: " + why
                            : count + " pages were omitted: " + why);
        }
    }
}
