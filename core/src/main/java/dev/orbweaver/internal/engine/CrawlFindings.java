package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.parse.AppShell;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.Capture.Kind;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Explains a poor result by the beginning of a crawl's page log: URLs without a page, and pages
 * without content. What it reads is limited, so that it costs the same at the end of any crawl.
 */
public final class CrawlFindings {

    private static final int LINES_MAX = 1_000;
    private static final int LINES_STEP = 50;
    private static final int PAGES_MAX = 20;

    /** A page with more links than this has content; the shell of an application has few. */
    private static final int LINKS_MAX = 50;

    private final Path directory;
    private final StoredCrawl crawl;

    public CrawlFindings(Path directory, CrawlConfig config) {
        this.directory = directory;
        this.crawl = new StoredCrawl(directory, config);
    }

    /**
     * Returns the first lines that match. The log is read in small steps, because the first matches
     * are usually at its beginning, and reading lines is slow in a process that has not done so.
     */
    private List<StoredPage> first(Predicate<StoredPage> matches, int max) throws IOException {
        var tombstones = crawl.tombstones();
        var found = new ArrayList<StoredPage>();
        try (var log = PageLogReader.open(directory)) {
            for (var read = 0; read < LINES_MAX && found.size() < max; read += LINES_STEP) {
                var lines = log.next(LINES_STEP);
                for (var line : lines) {
                    var page = new StoredPage(0, line.entry());
                    if (found.size() < max
                            && !tombstones.covers(page.url())
                            && matches.test(page)) {
                        found.add(page);
                    }
                }
                if (lines.isEmpty()) {
                    break;
                }
            }
        }
        return found;
    }

    /** Returns the first URLs that gave no page. */
    public List<PageLogEntry> withoutPage(int max) throws IOException {
        return first(line -> line.kind() != Kind.PAGE && line.kind() != Kind.ROBOTS, max).stream()
                .map(StoredPage::entry)
                .toList();
    }

    /** Returns whether at least half of the first HTML pages are filled by scripts. */
    public boolean needsScripts() throws IOException {
        var pages = first(StoredPage::isHtml, PAGES_MAX);
        var archive = crawl.contents();
        var shells = 0;
        for (var page : pages) {
            if (page.links() <= LINKS_MAX) {
                var document = archive.response(page).document();
                shells +=
                        ParsePool.shared().run(page::url, () -> AppShell.matches(document)) ? 1 : 0;
            }
        }
        return shells > 0 && 2 * shells >= pages.size();
    }
}
