package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;

import java.util.List;

/**
 * Some lines of a seed list, which are stored together with the position after them. So after a
 * crash no line is skipped, and none is counted twice.
 *
 * @param candidates the URLs to fetch
 * @param visited the URLs that were fetched elsewhere and count as done
 * @param revisits the URLs to visit again
 * @param malformed the number of lines that are not a URL
 * @param from where this batch begins
 * @param position where the next batch begins
 */
public record SeedBatch(
        List<Candidate> candidates,
        List<CrawlUrl> visited,
        List<Revisit> revisits,
        int malformed,
        SeedPosition from,
        SeedPosition position) {

    /**
     * A URL that the job has fetched.
     *
     * @param last the capture of its last visit
     * @param page whether that visit stored a page
     */
    public record Revisit(Candidate candidate, CaptureRef last, boolean page) {}

    /** Creates the first batch of a list. */
    public SeedBatch(
            List<Candidate> candidates,
            List<CrawlUrl> visited,
            int malformed,
            SeedPosition position) {
        this(
                candidates,
                visited,
                List.of(),
                malformed,
                SeedPosition.start(position.list()),
                position);
    }

    public SeedBatch {
        candidates = List.copyOf(candidates);
        visited = List.copyOf(visited);
        revisits = List.copyOf(revisits);
    }

    public SeedBatch withRevisits(List<Revisit> others) {
        return new SeedBatch(candidates, visited, others, malformed, from, position);
    }
}
