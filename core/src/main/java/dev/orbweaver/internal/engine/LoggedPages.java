package dev.orbweaver.internal.engine;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.sink.CaptureReader;
import dev.orbweaver.spi.PageHandler;
import dev.orbweaver.spi.PageHandlerException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Reads the committed pages of a directory for handlers. */
public final class LoggedPages {

    private LoggedPages() {}

    /** Passes all committed pages of a crawl that were not taken down. */
    public static void forEach(StoredCrawl crawl, Path path, PageHandler handler)
            throws IOException, ConfigException {
        var captures = new CaptureReader(path);
        var urls = crawl.urls();
        StoredCrawl.pages(List.of(path), crawl.config().settingValues().table())
                .forEachPage(
                        page ->
                                call(
                                        "forEachPage",
                                        handler,
                                        new LoggedPage(page.entry(), captures, urls)));
    }

    /** Passes the committed results after a line that were not taken down. */
    public static void forEachResult(
            StoredCrawl crawl, Path path, long startAfter, PageHandler handler)
            throws IOException, ConfigException {
        var captures = new CaptureReader(path);
        var urls = crawl.urls();
        StoredCrawl.pages(List.of(path), crawl.config().settingValues().table())
                .forEachLine(
                        page -> {
                            var entry = page.entry();
                            if (entry.seq() > startAfter && PageDelivery.isResult(entry.kind())) {
                                call(
                                        "forEachResult",
                                        handler,
                                        new LoggedPage(entry, captures, urls));
                            }
                        });
    }

    private static void call(String name, PageHandler handler, LoggedPage page) {
        try {
            handler.handle(page);
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new PageHandlerException(name, page.url(), page.sequence(), e);
        }
    }
}
