package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of one URL in a frontier that is only read, with the data that an explanation needs.
 *
 * @param state {@link UrlState.Settled} also for a URL that was never accepted: a reader does not
 *     load the seen set
 * @param discovery how it was found; empty if it is settled
 * @param seeds of its job, including those reached by redirect
 * @param committedLengths of the output files at the same moment
 * @param refused the number of refused URLs, by reason
 * @param jobsOnHost the jobs that have URLs or requests on its host
 */
public record UrlLookup(
        UrlState state,
        Optional<Discovery> discovery,
        List<CrawlUrl> seeds,
        List<CommittedLength> committedLengths,
        Map<Refusal, Long> refused,
        Set<JobId> jobsOnHost) {

    /**
     * How a URL was found.
     *
     * @param parent the capture in which it was found, 0 for a seed
     */
    public record Discovery(CrawlUrl url, Hop hop, int depth, CaptureRef parent, Instant foundAt) {}

    public UrlLookup withCommittedLengths(List<CommittedLength> lengths) {
        return new UrlLookup(state, discovery, seeds, lengths, refused, jobsOnHost);
    }

    public UrlLookup {
        seeds = List.copyOf(seeds);
        committedLengths = List.copyOf(committedLengths);
        refused = Map.copyOf(refused);
        jobsOnHost = Set.copyOf(jobsOnHost);
    }

    /** Looks up a URL of a job on another process's workbench. */
    public static UrlLookup of(Workbench bench, JobId job, CrawlUrl url, Instant now) {
        var search = new UrlSearch(bench, job.number(), url);
        return new UrlLookup(
                search.find(),
                search.discovery(),
                bench.seeds.getOrDefault(job.number(), List.of()),
                WorkbenchFrontier.committedLengths(bench),
                FrontierStats.of(bench, now).refusedByReason(),
                bench.jobsOn(url.host()));
    }
}
