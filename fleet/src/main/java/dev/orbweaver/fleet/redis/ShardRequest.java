package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.SeenResult;
import dev.orbweaver.fleet.redis.ShardUrlReader.DeadRecord;
import dev.orbweaver.internal.frontier.FrontierEvent.HostState;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.revisit.HostRates;
import dev.orbweaver.model.CrawlUrl;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A call of a script that works on a shard. */
sealed interface ShardRequest<R> extends ScriptRequest<R>
        permits OfferRequest,
                ClaimRequest,
                CommitRequest,
                ShardRequest.View,
                ShardRequest.Exclude,
                ShardRequest.DeleteJob,
                ShardRequest.Find,
                ShardRequest.CheckSeen,
                ShardRequest.ReportCrawlDelay,
                ShardRequest.Requeue,
                ShardRequest.SeedsRead,
                ShardRequest.AddSeeds,
                ShardRequest.QueueRevisits,
                ShardRequest.ReadRates,
                SpillRequest {

    int shard();

    /**
     * Precedes the arguments of every request to a shard.
     *
     * @param runId of the server; empty if the caller only reads
     * @param callId identifies a call that is repeated; empty if it is never repeated
     * @param pauseMillis how long no host is claimed after a restart of the server
     */
    record Header(String runId, long now, String worker, String callId, long pauseMillis) {}

    record View(int shard) implements ShardRequest<ShardView> {}

    /**
     * The statistics of one shard.
     *
     * @param hosts hosts ever seen
     * @param resting unclaimed hosts that rest
     * @param pausedUntil until when no host is claimed because the server was restarted
     * @param longestResting the host that rests for longest, if any rests
     */
    record ShardView(
            int hosts,
            int claimed,
            int resting,
            long pausedUntil,
            List<JobView> jobs,
            List<RestingHost> longestResting) {}

    /**
     * The statistics of a job in a shard.
     *
     * @param ready unclaimed hosts that are due
     * @param waiting unclaimed hosts that are not due yet
     * @param nextHost the first of those
     * @param nextDue when it is due; {@link Long#MAX_VALUE} if none waits
     */
    record JobView(
            int job,
            Map<String, Long> counters,
            int ready,
            int waiting,
            String nextHost,
            long nextDue) {}

    /** An unclaimed host that rests. */
    record RestingHost(HostState state, Instant until, Set<Integer> jobs) {}

    /** Withdraws the queued URLs that a job has of hosts, or queues them again. */
    record Exclude(int shard, int job, boolean excluded, List<String> hosts)
            implements ShardRequest<Boolean> {}

    /** Deletes some of a job's data; the reply is whether there is more. */
    record DeleteJob(int shard, int job, int maxHosts) implements ShardRequest<Boolean> {}

    record Find(int shard, int job, CrawlUrl url) implements ShardRequest<FindReply> {}

    sealed interface FindReply {

        record Never() implements FindReply {}

        /** The job has seen it, and it is neither queued nor claimed nor dead. */
        record Settled() implements FindReply {}

        /** It is settled and due for another visit later. */
        record Scheduled(ScheduledPage page, HostRates rates) implements FindReply {}

        /** A worker has claimed it, until its claim of the host expires. */
        record Claimed(QueuedUrl url, Instant until) implements FindReply {}

        record Dead(DeadRecord letter) implements FindReply {}

        /**
         * It is queued.
         *
         * @param ahead number of URLs of its host before it
         * @param due when its host is due
         */
        record Queued(QueuedUrl url, int ahead, Instant due, boolean excluded)
                implements FindReply {}

        /**
         * It is in one of these files, or in none.
         *
         * @param due when its host is due
         * @param known whether the job has seen it
         */
        record Spilled(Instant due, boolean excluded, boolean known, List<Range> ranges)
                implements FindReply {}

        /**
         * A range of a file that may contain the URL.
         *
         * @param ahead number of URLs before it; negative if its URLs are dead letters
         */
        record Range(SpilledRange range, int ahead) {}
    }

    /**
     * Looks up which URLs a job has seen.
     *
     * @param hostLimit maximum URLs per host; 0 for none
     */
    record CheckSeen(int shard, int job, int hostLimit, List<CrawlUrl> urls)
            implements ShardRequest<List<SeenResult>> {}

    /** Reports a crawl delay to the worker that has claimed the host. */
    record ReportCrawlDelay(int shard, String host, long delayMillis)
            implements ShardRequest<Boolean> {}

    /** Requeues dead letters of a host; the reply is their number. */
    record Requeue(int shard, String host, int job, List<DeadRecord> letters)
            implements ShardRequest<Integer> {}

    /**
     * Stores how far a seed list was read and counts the malformed lines; the reply is false if
     * another process has read the list.
     */
    record SeedsRead(int shard, int job, SeedPosition before, SeedPosition after)
            implements ShardRequest<Boolean> {}

    /**
     * Adds a seed list whose pieces are stored; the reply is whether the job exists.
     *
     * @param label what it contains, for its name
     * @param id in the keys of its pieces
     * @param pieces their number
     */
    record AddSeeds(int shard, int job, String label, String id, int pieces)
            implements ShardRequest<Boolean> {}

    /**
     * Queues known pages that are due.
     *
     * @param token of the caller, who must be the last one that had the duty
     * @param early whether pages are queued before they are due, too
     * @param now by which pages are due
     * @param minIntervalSeconds the shortest time between two visits of a page
     */
    record QueueRevisits(
            int shard,
            int job,
            long token,
            int max,
            boolean early,
            Instant now,
            long minIntervalSeconds)
            implements ShardRequest<QueuedRevisits> {}

    /**
     * The reply.
     *
     * @param early how many of them were not due
     * @param next when the next page may be due; empty if the shard has none
     */
    record QueuedRevisits(int queued, int early, Optional<Instant> next) {}

    /** Reads what was observed on the pages of hosts. */
    record ReadRates(int shard, int job, List<String> hosts)
            implements ShardRequest<List<HostRates>> {}
}
