package dev.orbweaver.imports.crawls;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.ImportTarget;
import dev.orbweaver.internal.engine.SeedLoader;
import dev.orbweaver.internal.engine.StoredCrawl;

import java.io.IOException;
import java.nio.file.Path;

/** Where a crawl is imported to. */
public interface ImportDestination {

    /**
     * Returns a text that is empty for the directory of the import itself. An interrupted import is
     * continued only if this text is the same.
     */
    String description();

    /**
     * Returns whether the import is complete.
     *
     * @param id of the import
     * @param begun whether a part of it was imported
     * @throws IOException if what was imported is not there any more
     */
    boolean isComplete(String id, boolean begun) throws IOException;

    ImportTarget open(String id) throws IOException;

    /** Returns a directory, which becomes a crawl. */
    static ImportDestination directory(CrawlConfig config, Path directory) {
        return new ImportDestination() {
            @Override
            public String description() {
                return "";
            }

            @Override
            public boolean isComplete(String id, boolean begun) {
                return StoredCrawl.isCrawl(directory);
            }

            @Override
            public ImportTarget open(String id) throws IOException {
                return SeedLoader.open(config, directory);
            }
        };
    }
}
