package dev.orbweaver.export;

import dev.orbweaver.archive.Answer;
import dev.orbweaver.archive.CrawlPages;
import dev.orbweaver.archive.StoredPage;
import dev.orbweaver.export.ExportSettings.LastModified;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.parse.HtmlParser;

import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Sitemaps (sitemaps.org, protocol 0.9). A sitemap may speak for one host only, so pages of several
 * hosts go to a folder for each; whoever names a file gets all in one, with a note.
 */
final class SitemapExport {

    /** "must be less than 2,048 characters" (sitemaps.org, loc). */
    private static final int URL_CHARS_MAX = 2047;

    /** Files that are open at the same time; a host that has to wait is opened again. */
    private static final int OPEN_MAX = 64;

    private final CrawlPages pages;
    private final ExportSettings.Sitemap settings;
    private final Map<String, SitemapSet> sets = new LinkedHashMap<>();

    /** Those whose file may be open, the one that was used longest ago first. */
    private final SequencedMap<String, SitemapSet> open = new LinkedHashMap<>(16, 0.75f, true);

    private final Path place;
    private final boolean oneFile;
    private long count;
    private long tooLong;
    private long notIndexable;

    SitemapExport(CrawlPages pages, Path place, ExportSettings.Sitemap settings) {
        this.pages = pages;
        this.place = place;
        this.settings = settings;
        var name = String.valueOf(place.getFileName()).toLowerCase(Locale.ROOT);
        this.oneFile = name.endsWith(".xml") || name.endsWith(".xml.gz");
    }

    ExportReport run() throws IOException {
        var several = severalHosts();
        try {
            pages.eachPage(page -> add(page, several));
            for (var set : sets.values()) {
                set.finish();
            }
        } finally {
            for (var set : sets.values()) {
                set.close();
            }
        }
        return new ExportReport(count, "URLs", notes(several));
    }

    private List<String> notes(boolean several) {
        var notes = new ArrayList<String>();
        if (several && oneFile) {
            notes.add(
                    "these are pages of several hosts, and search engines take those of one only;"
                            + " name a folder to have a sitemap for each");
        }
        if (tooLong > 0) {
            notes.add(tooLong + " URLs are longer than the protocol allows and were left out");
        }
        if (notIndexable > 0) {
            notes.add(notIndexable + " pages do not want to be indexed and were left out");
        }
        return notes;
    }

    private boolean severalHosts() throws IOException {
        var first = new String[] {""};
        var several = new boolean[1];
        pages.eachPage(
                page -> {
                    if (first[0].isEmpty()) {
                        first[0] = page.authority();
                    }
                    several[0] |= !first[0].equals(page.authority());
                });
        return several[0];
    }

    private void add(StoredPage page, boolean several) throws IOException {
        if (page.url().length() > URL_CHARS_MAX) {
            tooLong++;
            return;
        }
        var lastModified = Optional.<Instant>empty();
        if (settings.indexable() || settings.lastModified() == LastModified.HEADER) {
            var answer = pages.answer(page);
            if (settings.indexable()
                    && !pages.work(page, it -> isIndexable(page, it)).orElse(false)) {
                notIndexable++;
                return;
            }
            if (settings.lastModified() == LastModified.HEADER) {
                lastModified = lastModified(answer, page.time());
            }
        }
        if (settings.lastModified() == LastModified.FETCHED) {
            lastModified = Optional.of(page.time());
        }
        var set = set(page, several && !oneFile);
        set.add(page.url(), lastModified);
        count++;
    }

    private SitemapSet set(StoredPage page, boolean perHost) throws IOException {
        var key = perHost ? page.authority() : "";
        var set = sets.get(key);
        if (set == null) {
            set = new SitemapSet(first(page, perHost), base(page), settings);
            sets.put(key, set);
        }
        open.put(key, set);
        if (open.size() > OPEN_MAX) {
            open.pollFirstEntry().getValue().suspend();
        }
        return set;
    }

    private Path first(StoredPage page, boolean perHost) {
        var gzip = settings.gzip() ? ".gz" : "";
        if (oneFile) {
            var named = place.getFileName().toString();
            return named.endsWith(".gz") ? place : place.resolveSibling(named + gzip);
        }
        var folder = perHost ? place.resolve(FileNames.folder(page.authority())) : place;
        return folder.resolve("sitemap.xml" + gzip);
    }

    private String base(StoredPage page) {
        var root = page.url().substring(0, page.url().indexOf("//") + 2) + page.authority() + "/";
        var given = settings.baseUrl();
        return given.isEmpty() ? root : given.endsWith("/") ? given : given + "/";
    }

    private static Optional<Instant> lastModified(Answer answer, Instant fetched) {
        return answer.head()
                .field("last-modified")
                .flatMap(SitemapExport::date)
                // A page cannot have changed after it was fetched: that clock is wrong.
                .filter(date -> !date.isAfter(fetched));
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException notADate) {
            return Optional.empty();
        }
    }

    private boolean isIndexable(StoredPage page, Answer answer) {
        for (var field : answer.head().fields("x-robots-tag")) {
            var words = field.toLowerCase(Locale.ROOT);
            if (words.contains("noindex") || words.contains("none")) {
                return false;
            }
        }
        if (!page.isHtml()) {
            return true;
        }
        var urls = pages.folderOf(page).urls();
        var parsed = new HtmlParser(urls).parse(answer.document());
        return !parsed.noindex()
                && parsed.links().stream()
                        .filter(link -> link.kind() == LinkKind.CANONICAL)
                        .allMatch(link -> link.url().key().equals(answer.document().url().key()));
    }
}
