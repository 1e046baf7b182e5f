package dev.orbweaver.imports.crawls;

import java.io.IOException;

/** Counts the rows of a file by reading it once more. */
final class RowCounter implements CrawlImporter.RowOutput {

    private long rows;

    private RowCounter() {}

    static long count(CrawlImporter.Part part) throws IOException, InterruptedException {
        var counter = new RowCounter();
        part.read("", counter);
        return counter.rows;
    }

    @Override
    public void visited(String url) {
        rows++;
    }

    @Override
    public void queued(String url, int depth, int points) {
        rows++;
    }

    @Override
    public boolean isCheckpointDue() {
        return false;
    }

    @Override
    public void checkpoint(String key) {
        throw new IllegalStateException("nothing is stored");
    }
}
