package dev.orbweaver.imports.crawls;

import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;

import java.io.IOException;

/**
 * A file of URLs as a part of a crawl. It has no checkpoints: after an interruption the file is
 * read from its start again.
 */
record SourcePart(String name, SeedSource source, boolean isVisited) implements CrawlImporter.Part {

    @Override
    public void read(String after, CrawlImporter.RowOutput out)
            throws IOException, InterruptedException {
        source.read(
                new SeedOutput() {
                    @Override
                    public void add(long number, SeedEntry entry) throws IOException {
                        row(entry.url());
                    }

                    @Override
                    public void reject(long line, String text, String reason) throws IOException {
                        row("(%s) %s".formatted(reason, text)); // Rejected again, and counted.
                    }

                    private void row(String url) throws IOException {
                        if (isVisited) {
                            out.visited(url);
                        } else {
                            out.queued(url, 0, 0);
                        }
                    }

                    @Override
                    public void progress(String what) {
                        // The reader of the rows reports its own.
                    }
                });
    }

    @Override
    public long countRows() throws IOException, InterruptedException {
        return RowCounter.count(this);
    }
}
