package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.FrontierEvent.HostState;
import dev.orbweaver.internal.frontier.QueuedUrl;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Claims hosts of a shard with some of their URLs.
 *
 * @param hosts maximum number of hosts
 * @param host the only host to claim; empty for the next ones in turn
 * @param token of a host that this worker has claimed and of which it wants more URLs, else empty
 * @param force whether the host is claimed without URLs even if it has to wait
 * @param defaultDelayMillis the delay of a host if the worker dies before it commits the host's own
 * @param jobs for which hosts are claimed; empty for all
 */
record ClaimRequest(
        int shard,
        long leaseMillis,
        int hosts,
        int urlsPerHost,
        String host,
        String token,
        boolean force,
        long defaultDelayMillis,
        Set<Integer> jobs,
        Map<Integer, Integer> weights)
        implements ShardRequest<ClaimRequest.Reply> {

    /**
     * The claimed hosts.
     *
     * @param nextDue when the shard's next host is due; {@link Long#MAX_VALUE} if it has none
     * @param retryAt when to retry a host that could not be claimed, else 0
     */
    record Reply(long nextDue, long retryAt, List<Host> hosts) {

        /** Returns the host that was requested by name, if it could be claimed. */
        Optional<Host> host() {
            return hosts.stream().findFirst();
        }
    }

    /**
     * A claimed host.
     *
     * @param token proves the claim in later requests
     * @param jobsWithMore jobs that have more URLs of it in Redis
     * @param spilled URLs to load from files before others of their queue
     * @param crawlDelayMillis a delay that another worker has read for it, -1 for none
     */
    record Host(
            String token,
            HostState state,
            long delayedUntil,
            List<QueuedUrl> urls,
            List<Integer> jobsWithMore,
            List<SpillLoader.LoadRequest> spilled,
            long crawlDelayMillis) {

        Host withFailuresReset() {
            return new Host(
                    token,
                    RedisRecordCodec.withFailuresReset(state),
                    delayedUntil,
                    urls,
                    jobsWithMore,
                    spilled,
                    crawlDelayMillis);
        }
    }
}
