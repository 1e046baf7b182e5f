package dev.orbweaver.internal.seeds;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.util.ArrayList;
import java.util.function.Consumer;

/**
 * Divides a seed list into batches. A batch depends on the list and the position before it alone,
 * so that a process which continues after another reads the same one.
 */
public final class SeedBatches {

    /** Maximum number of lines of a batch. */
    public static final int LINES_MAX = 4096;

    /** A batch ends after the line that reaches this length. */
    public static final int BYTES_MAX = 512 << 10;

    private SeedBatches() {}

    /**
     * Reads the next batch.
     *
     * @param end where the list ends
     */
    public static SeedBatch read(
            SeedListReader lines,
            SeedPosition before,
            long end,
            RejectedLines rejected,
            CrawlUrls urls)
            throws IOException {
        var candidates = new ArrayList<Candidate>(LINES_MAX);
        var visited = new ArrayList<CrawlUrl>();
        var revisits = new ArrayList<SeedBatch.Revisit>();
        var number = before.lines();
        var malformed = 0;
        var until = Math.min(end, lines.position() + BYTES_MAX);
        while (number - before.lines() < LINES_MAX && lines.position() < until) {
            var text = lines.next();
            number++;
            switch (SeedLine.parse(text, urls)) {
                case SeedLine.Wanted(var candidate) -> candidates.add(candidate);
                case SeedLine.Visited(var url) -> visited.add(url);
                case SeedLine.Again(var revisit) -> revisits.add(revisit);
                case SeedLine.Comment() -> {}
                case SeedLine.Malformed(var reason) -> {
                    malformed++;
                    rejected.add(number, reason, text);
                }
            }
        }
        return new SeedBatch(
                candidates,
                visited,
                revisits,
                malformed,
                before,
                new SeedPosition(
                        before.list(), lines.position(), number, before.malformed() + malformed));
    }

    /**
     * Extends the scope by the hosts of a batch. Called before its URLs are offered: a page may
     * link to the host of any of them.
     */
    public static void extendScope(SeedBatch batch, Consumer<CrawlUrl> extendScope) {
        var last = "";
        for (var candidate : batch.candidates()) {
            var url = candidate.url();
            if (!url.host().equals(last)) {
                extendScope.accept(url);
                last = url.host();
            }
        }
    }
}
