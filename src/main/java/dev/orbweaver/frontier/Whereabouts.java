package dev.orbweaver.frontier;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where one URL stands in a frontier that is only looked at, with what a search for reasons needs
 * besides.
 *
 * @param state {@link Explanation.Settled} also for a URL that never was here: whoever looks on
 *     does not know what was seen
 * @param found how it was found; nothing when it is settled
 * @param seeds of its job, those that came by redirect too
 * @param marks the output files as long as they were at the same moment
 * @param refused how many URLs were turned away for what reason
 */
public record Whereabouts(
        Explanation state,
        Optional<Found> found,
        List<CrawlUrl> seeds,
        List<FileMark> marks,
        Map<Refusal, Long> refused) {

    /**
     * How a URL was found.
     *
     * @param parent the capture in which it was found, 0 for a seed
     */
    public record Found(CrawlUrl url, Hop hop, int depth, long parent, Instant at) {}

    /** Keeps the parts unchangeable. */
    public Whereabouts {
        seeds = List.copyOf(seeds);
        marks = List.copyOf(marks);
        refused = Map.copyOf(refused);
    }

    /** Looks a URL of a job up on somebody else's workbench. */
    public static Whereabouts of(Workbench bench, JobId job, CrawlUrl url, Instant now) {
        var search = new UrlSearch(bench, job.number(), url);
        return new Whereabouts(
                search.find(),
                search.found(),
                bench.seeds.getOrDefault(job.number(), List.of()),
                WorkbenchFrontier.marks(bench),
                WorkbenchFrontier.stats(bench, now).refusedByReason());
    }
}
