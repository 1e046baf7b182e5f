package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.AgendaAction;
import dev.orbweaver.fleet.redis.ScriptConstants.GateResult;
import dev.orbweaver.fleet.redis.ScriptConstants.ReserveResult;
import dev.orbweaver.internal.frontier.IntakeLimits;

import java.util.List;

/** A call of a script that works on one key. */
sealed interface KeyRequest<R> extends ScriptRequest<R> {

    String key();

    /**
     * Leases the gate of an address, a domain or a group, or renews the lease.
     *
     * @param holder the process that leases it
     * @param contendedMillis length of the lease if other workers wait for the gate
     * @param renew whether requests are in flight, for which the lease is renewed
     */
    record TakeGate(
            String key,
            long now,
            String holder,
            long leaseMillis,
            long contendedMillis,
            long delayMillis,
            boolean renew)
            implements KeyRequest<GateReply> {}

    /**
     * The result of leasing a gate.
     *
     * @param time end of the lease, or when to retry
     */
    record GateReply(GateResult result, long time) {

        boolean isLeased() {
            return result == GateResult.LEASED;
        }
    }

    /** Reads the fleet's time in microseconds. */
    record ReadClock(String key) implements KeyRequest<Long> {}

    /**
     * Changes a job's state; the reply is whether it was changed.
     *
     * @param version the expected version of the job; empty for any
     * @param seedLists the expected number of its seed lists; empty for any
     * @param restart whether workers restart the crawl
     * @param from the states from which the change is allowed
     */
    record ChangeState(
            String key,
            FleetJob.State state,
            String reason,
            boolean failed,
            String version,
            String seedLists,
            boolean restart,
            List<FleetJob.State> from)
            implements KeyRequest<Boolean> {}

    /** Replaces a job's settings; the reply is whether the job exists. */
    record ChangeSettings(String key, String settings, String note, int weight)
            implements KeyRequest<Boolean> {}

    /** Claims the notification of a job's change; the reply is whether the caller is the first. */
    record ClaimNotification(String key, long changeMillis) implements KeyRequest<Boolean> {}

    /**
     * Reserves URLs of a job under its limits.
     *
     * @param callId identifies a call that is repeated
     */
    record Reserve(
            String key,
            String worker,
            String callId,
            long maxHosts,
            long maxPerDomain,
            List<Reservation> urls)
            implements KeyRequest<List<ReserveResult>> {}

    /**
     * A URL that needs a reservation within its job's limits.
     *
     * @param newHost its host if the job has no other URL of it, else empty
     * @param matching the limits of matching URLs that apply to it
     */
    record Reservation(String newHost, String domain, List<IntakeLimits.MatchLimit> matching) {}

    record NextJobNumber(String key) implements KeyRequest<Integer> {}

    /**
     * Requests a grant of URLs that a worker may lease of a job with a page limit.
     *
     * @param pages pages that the job has
     * @param leased unsettled leases of the worker
     * @param ttlMillis after how long without a call a worker's grant is free again
     */
    record GrantPages(
            String key,
            long now,
            String worker,
            long limit,
            long pages,
            long leased,
            long ttlMillis)
            implements KeyRequest<Long> {}

    /**
     * Changes balances of trap patterns; the reply has the balance of each after all changes.
     *
     * @param changesId identifies changes that are repeated; empty to read only
     * @param max the highest balance
     * @param maxPatterns maximum number of stored balances
     */
    record ChangeBalances(
            String key,
            String worker,
            String changesId,
            int max,
            int maxPatterns,
            List<BalanceChange> changes)
            implements KeyRequest<int[]> {}

    record BalanceChange(String pattern, int by) {}

    /**
     * Takes, renews or ends the duty to queue the due pages of a job.
     *
     * @param leaseMillis 0 to end it
     * @param state what its holder knows; empty to change nothing
     */
    record RevisitDuty(String key, long now, String holder, long leaseMillis, String state)
            implements KeyRequest<DutyReply> {}

    /**
     * The reply.
     *
     * @param held whether the caller has the duty
     * @param token higher for each holder
     * @param state what the last holder knew
     */
    record DutyReply(boolean held, long token, String state) {}

    /** Updates the fleet's agenda. */
    record UpdateAgenda(String key, List<AgendaUpdate> updates) implements KeyRequest<Boolean> {}

    /**
     * An update of one shard in the agenda.
     *
     * @param time when it needs a worker; empty if it does not
     * @param before the score that it must still have, for {@link AgendaAction#LATER}
     */
    record AgendaUpdate(AgendaAction action, int shard, String time, String before) {

        AgendaUpdate(AgendaAction action, int shard) {
            this(action, shard, "", "");
        }
    }
}
