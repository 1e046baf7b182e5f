package dev.orbweaver.internal.directory;

import dev.orbweaver.model.CrawlUrl;

import java.io.Closeable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Queues the pages of a job again when they are due, together with other processes. */
public interface SharedRevisits extends Closeable {

    /** Returns how important a page is. */
    interface PageWeight {
        double of(CrawlUrl url, int depth);
    }

    /**
     * The crawl of this process.
     *
     * @param hasRoom whether more pages may be queued
     * @param onFailure ends the crawl
     */
    record Crawl(BooleanSupplier hasRoom, Consumer<Throwable> onFailure) {}

    void start();
}
