package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.parse.AppShell;
import dev.orbweaver.internal.parse.ParsePool;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.sink.PageLogLine;
import dev.orbweaver.internal.sink.PageLogReader;
import dev.orbweaver.model.Capture.Kind;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Explains a poor result by the beginning of a crawl's page log: URLs without a page, and pages
 * without content. What it reads is limited, so that it costs the same at the end of any crawl.
 */
public final class CrawlFindings {

    private static final int LINES_MAX = 1_000;
    private static final int PAGES_MAX = 20;

    /** A page with more links than this has content; the shell of an application has few. */
    private static final int LINKS_MAX = 50;

    private final Path directory;
    private final StoredCrawl crawl;

    public CrawlFindings(Path directory, CrawlConfig config) {
        this.directory = directory;
        this.crawl = new StoredCrawl(directory, config);
    }

    private List<StoredPage> firstLines() throws IOException {
        var tombstones = crawl.tombstones();
        try (var log = PageLogReader.open(directory)) {
            return log.next(LINES_MAX).stream()
                    .map(PageLogLine::entry)
                    .filter(entry -> !tombstones.covers(entry.url()))
                    .map(entry -> new StoredPage(0, entry))
                    .toList();
        }
    }

    /** Returns the first URLs that gave no page. */
    public List<PageLogEntry> withoutPage(int max) throws IOException {
        return firstLines().stream()
                .filter(line -> line.kind() != Kind.PAGE && line.kind() != Kind.ROBOTS)
                .limit(max)
                .map(StoredPage::entry)
                .toList();
    }

    /** Returns whether at least half of the first HTML pages are filled by scripts. */
    public boolean needsScripts() throws IOException {
        var pages = firstLines().stream().filter(StoredPage::isHtml).limit(PAGES_MAX).toList();
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
