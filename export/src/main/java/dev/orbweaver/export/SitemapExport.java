package dev.orbweaver.export;

import dev.orbweaver.export.ExportSettings.LastModified;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.archive.StoredResponse;
import dev.orbweaver.internal.parse.HtmlParser;
import dev.orbweaver.model.LinkKind;

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
import java.util.Set;

/**
 * Exports sitemaps (sitemaps.org, protocol 0.9). A sitemap may contain one host only: pages of
 * several hosts are written to one directory per host or, if the target is a file, into it with a
 * note.
 */
final class SitemapExport {

    /** "must be less than 2,048 characters" (sitemaps.org, loc). */
    private static final int URL_CHARS_MAX = 2047;

    /** The maximum number of open files; others are reopened. */
    private static final int OPEN_MAX = 64;

    /** What search engines list as a page; a crawl also stores images, style sheets and others. */
    private static final Set<String> PAGE_TYPES =
            Set.of("text/html", "application/xhtml+xml", "application/pdf", "text/plain");

    private final CrawlPages pages;
    private final ExportSettings.Sitemap settings;
    private final Map<String, SitemapSet> sets = new LinkedHashMap<>();

    /** The sets whose files may be open, least recently used first. */
    private final SequencedMap<String, SitemapSet> open = new LinkedHashMap<>(16, 0.75f, true);

    private final Path targetPath;
    private final boolean singleFile;
    private long count;
    private long tooLong;
    private long notIndexable;
    private long notPages;

    SitemapExport(CrawlPages pages, Path place, ExportSettings.Sitemap settings) {
        this.pages = pages;
        this.targetPath = place;
        this.settings = settings;
        var name = String.valueOf(place.getFileName()).toLowerCase(Locale.ROOT);
        this.singleFile = name.endsWith(".xml") || name.endsWith(".xml.gz");
    }

    ExportReport run() throws IOException {
        var several = hasSeveralHosts();
        try {
            pages.forEachPage(page -> add(page, several));
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
        if (several && singleFile) {
            notes.add(
                    "the sitemap has pages of several hosts, but search engines accept one host"
                            + " only; set --to to a directory for one sitemap per host");
        }
        if (tooLong > 0) {
            notes.add(tooLong + " URLs were omitted: longer than the sitemap protocol allows");
        }
        if (notPages > 0) {
            notes.add(
                    notPages
                            + " files were omitted: neither HTML, PDF nor plain text, such as"
                            + " images and style sheets");
        }
        if (notIndexable > 0) {
            notes.add(
                    notIndexable
                            + " pages were omitted: not indexable (noindex or another canonical"
                            + " URL)");
        }
        return notes;
    }

    private boolean hasSeveralHosts() throws IOException {
        var first = new String[] {""};
        var several = new boolean[1];
        pages.forEachPage(
                page -> {
                    if (!PAGE_TYPES.contains(page.mediaType())) {
                        return;
                    }
                    if (first[0].isEmpty()) {
                        first[0] = page.authority();
                    }
                    several[0] |= !first[0].equals(page.authority());
                });
        return several[0];
    }

    private void add(StoredPage page, boolean several) throws IOException {
        if (!PAGE_TYPES.contains(page.mediaType())) {
            notPages++;
            return;
        }
        if (page.url().length() > URL_CHARS_MAX) {
            tooLong++;
            return;
        }
        var lastModified = Optional.<Instant>empty();
        if (settings.indexable() || settings.lastModified() == LastModified.HEADER) {
            var storedResponse = pages.response(page);
            if (settings.indexable()
                    && !pages.process(page, it -> isIndexable(page, it)).orElse(false)) {
                notIndexable++;
                return;
            }
            if (settings.lastModified() == LastModified.HEADER) {
                lastModified = lastModified(storedResponse, page.time());
            }
        }
        if (settings.lastModified() == LastModified.FETCHED) {
            lastModified = Optional.of(page.time());
        }
        var set = setFor(page, several && !singleFile);
        set.add(page.url(), lastModified);
        count++;
    }

    private SitemapSet setFor(StoredPage page, boolean perHost) throws IOException {
        var key = perHost ? page.authority() : "";
        var set = sets.get(key);
        if (set == null) {
            set = new SitemapSet(firstFile(page, perHost), baseUrl(page), settings);
            sets.put(key, set);
        }
        open.put(key, set);
        if (open.size() > OPEN_MAX) {
            open.pollFirstEntry().getValue().suspend();
        }
        return set;
    }

    private Path firstFile(StoredPage page, boolean perHost) {
        var gzip = settings.gzip() ? ".gz" : "";
        if (singleFile) {
            var named = targetPath.getFileName().toString();
            return named.endsWith(".gz") ? targetPath : targetPath.resolveSibling(named + gzip);
        }
        var directory =
                perHost ? targetPath.resolve(FileNames.directory(page.authority())) : targetPath;
        return directory.resolve("sitemap.xml" + gzip);
    }

    private String baseUrl(StoredPage page) {
        var root = page.url().substring(0, page.url().indexOf("//") + 2) + page.authority() + "/";
        var given = settings.baseUrl();
        return given.isEmpty() ? root : given.endsWith("/") ? given : given + "/";
    }

    private static Optional<Instant> lastModified(StoredResponse storedResponse, Instant fetched) {
        return storedResponse
                .head()
                .field("last-modified")
                .flatMap(SitemapExport::date)
                // A page cannot have changed after it was fetched: the server's clock is wrong.
                .filter(date -> !date.isAfter(fetched));
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException notADate) {
            return Optional.empty();
        }
    }

    private boolean isIndexable(StoredPage page, StoredResponse storedResponse) {
        for (var field : storedResponse.head().fields("x-robots-tag")) {
            var words = field.toLowerCase(Locale.ROOT);
            if (words.contains("noindex") || words.contains("none")) {
                return false;
            }
        }
        if (!page.isHtml()) {
            return true;
        }
        var urls = pages.directoryOf(page).urls();
        var parsed = new HtmlParser(urls).parse(storedResponse.document());
        return !parsed.noindex()
                && parsed.links().stream()
                        .filter(link -> link.kind() == LinkKind.CANONICAL)
                        .allMatch(
                                link ->
                                        link.url()
                                                .key()
                                                .equals(storedResponse.document().url().key()));
    }
}
