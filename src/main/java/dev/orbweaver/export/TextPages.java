package dev.orbweaver.export;

import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.archive.PageVisitor;
import dev.orbweaver.archive.StoredPage;
import dev.orbweaver.parse.HtmlParser;
import dev.orbweaver.parse.markdown.MarkdownConverter;
import dev.orbweaver.parse.markdown.MarkdownPage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The HTML pages of a crawl as Markdown, in reading order.
 *
 * <p>The log is gone through three times: for the URLs that are pages; for what each site repeats
 * on all its pages and for who points at whom; and to convert. Then the filters: worth something,
 * in the right language, not nearly what an earlier page says.
 */
final class TextPages {

    private final CrawlPages pages;
    private final ExportSettings.Text settings;
    private final SiteMemories memories;
    private final LongIndex keys = new LongIndex();
    private final NearHashes texts = new NearHashes();
    private final FileNames names = new FileNames();
    private long poor;
    private long foreign;
    private long near;
    private long notHtml;

    TextPages(CrawlPages pages, ExportSettings.Text settings, Path scratch) {
        this.pages = pages;
        this.settings = settings;
        this.memories = new SiteMemories(scratch);
    }

    /** Puts every page that is wanted into a store. */
    void fill(TextStore store) throws IOException {
        pages.eachPage(
                page -> {
                    if (page.isHtml()) {
                        keys.add(key(page));
                    } else {
                        notHtml++;
                    }
                });
        var order = new ReadingOrder(keys);
        eachHtml(page -> learn(page, order));
        var ranks = order.ranks();
        eachHtml(page -> convert(page, ranks[keys.find(key(page))], store));
    }

    private void eachHtml(PageVisitor visitor) throws IOException {
        pages.eachPage(
                page -> {
                    // A running crawl goes on; what was not there at first stays out.
                    if (page.isHtml() && keys.contains(key(page))) {
                        visitor.visit(page);
                    }
                });
    }

    private long key(StoredPage page) throws IOException {
        return pages.folderOf(page)
                .urls()
                .parse(page.url())
                .orElseThrow(() -> new IOException("the page log has a URL that is none: " + page))
                .key()
                .high();
    }

    private void learn(StoredPage page, ReadingOrder order) throws IOException {
        var urls = pages.folderOf(page).urls();
        var links =
                pages.work(
                        page,
                        answer -> {
                            memories.learn(page.authority(), answer.document());
                            return new HtmlParser(urls).parse(answer.document()).links();
                        });
        order.add(key(page), links.orElse(List.of()));
    }

    private void convert(StoredPage page, int rank, TextStore store) throws IOException {
        var converter = new MarkdownConverter(memories.of(page.authority()), settings.images());
        var converted =
                pages.work(
                        page,
                        answer -> {
                            var text = converter.convert(answer.document(), page.time());
                            var print = settings.keepNear() ? 0 : TextPrint.of(text.body());
                            return new Converted(text, print);
                        });
        if (converted.isPresent() && wanted(converted.get().text, converted.get().print)) {
            store.add(rank, new TextPage(names.page(page), converted.get().text));
        }
    }

    /** A page, with a fingerprint of its words unless near duplicates are kept. */
    private record Converted(MarkdownPage text, long print) {}

    private boolean wanted(MarkdownPage text, long print) {
        if (text.quality() < settings.qualityMin()) {
            poor++;
            return false;
        }
        if (!settings.languages().isEmpty() && !inLanguage(text.language())) {
            foreign++;
            return false;
        }
        if (!settings.keepNear() && !isFirst(print)) {
            near++;
            return false;
        }
        return true;
    }

    private boolean isFirst(long print) {
        var known = texts.size();
        return print == 0 || texts.leader(print) == known;
    }

    /** "en" takes "en-GB" (RFC 4647, 3.3.1: basic filtering). */
    private boolean inLanguage(String language) {
        var tag = language.toLowerCase(Locale.ROOT).replace('_', '-');
        return settings.languages().stream()
                .map(wanted -> wanted.toLowerCase(Locale.ROOT).replace('_', '-'))
                .anyMatch(wanted -> tag.equals(wanted) || tag.startsWith(wanted + "-"));
    }

    /** What was left out, a sentence each. */
    List<String> notes() {
        var notes = new ArrayList<String>();
        note(notes, notHtml, "no HTML");
        note(notes, poor, "below the wanted quality");
        note(notes, foreign, "in other languages");
        note(notes, near, "nearly the same as others (--keep-near-duplicates keeps them)");
        return notes;
    }

    private static void note(List<String> notes, long count, String why) {
        if (count > 0) {
            notes.add(
                    count == 1
                            ? "1 page was left out: it is " + why
                            : count + " pages were left out: they are " + why);
        }
    }
}
