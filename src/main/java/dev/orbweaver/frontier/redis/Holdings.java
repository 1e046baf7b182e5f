package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.EventLog;
import dev.orbweaver.frontier.FrontierEvent;
import dev.orbweaver.frontier.FrontierEvent.Accepted;
import dev.orbweaver.frontier.FrontierEvent.Restored;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Loan;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Workbench;
import dev.orbweaver.frontier.WorkbenchFrontier;
import dev.orbweaver.model.FailureCause;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The hosts that this worker holds, in a frontier of its own.
 *
 * <p>That frontier decides everything about them, as it does for a crawl on one machine: whose turn
 * it is, how a delay follows its host, who rests, what is given up. It says what it did as events,
 * and these are put here into the few words that the fleet's shard understands: this URL is done,
 * that one has another record now. So the rules of politeness are written once.
 */
final class Holdings implements EventLog {

    /** A lease that is out: of which host and URL, and which other host its holder visits. */
    private static final class Out {
        private final Held held;
        private final UrlId id;
        private @Nullable Held guestOf;

        private Out(Held held, UrlId id) {
            this.held = held;
            this.id = id;
        }
    }

    /** Which hosts go back to the fleet. */
    enum Return {
        /** Those of which nothing is left, here or in Redis. */
        USED_UP,
        /** Those of which no lease is out. */
        IDLE,
        /** All, whatever is out: the worker leaves. */
        ALL;

        private boolean goes(Held mine, Loan.Standing standing) {
            return switch (this) {
                case USED_UP ->
                        standing.leased() == 0
                                && standing.waiting().isEmpty()
                                && mine.more.isEmpty();
                case IDLE -> standing.leased() == 0;
                case ALL -> true;
            };
        }
    }

    final WorkbenchFrontier local;
    private final Shards shards;
    private final FleetSettings settings;
    private final Map<String, Held> held = new LinkedHashMap<>();
    private final Map<Long, Out> out = new HashMap<>();

    /** Those of which there is something to tell. */
    private final Set<Held> changed = new LinkedHashSet<>();

    /** Leases of the batch that is being settled whose URL goes to another host. */
    private final Set<Long> moving = new HashSet<>();

    /** Settlements of that batch that the fleet refused. */
    private int refused;

    /**
     * No hosts yet.
     *
     * @param log what events pass on their way here, for tests that make one fail
     */
    Holdings(
            Shards shards,
            FleetSettings settings,
            Politeness politeness,
            UnaryOperator<EventLog> log,
            Instant now) {
        this.shards = shards;
        this.settings = settings;
        this.local =
                new WorkbenchFrontier(
                        politeness,
                        new Workbench(politeness, new LoanStore(this::buried)),
                        log.apply(this),
                        now);
    }

    Optional<Held> find(String host) {
        return Optional.ofNullable(held.get(host));
    }

    Collection<Held> all() {
        return held.values();
    }

    /** Takes over what a claim brought: a new host, or more URLs of one that is here. */
    Held borrow(List<?> claimed, long now) {
        var host = string(claimed.get(0));
        var mine = held.get(host);
        if (mine == null) {
            mine = new Held(host, (byte[]) claimed.get(1), now, changed);
            held.put(host, mine);
        }
        var urls = new ArrayList<Restored>();
        var records = RedisLink.list(claimed.get(4));
        for (var i = 0; i < records.size(); i += 2) {
            var job = Integer.parseInt(string(records.get(i)));
            var url = Records.read(job, (byte[]) records.get(i + 1));
            mine.urls.put(UrlId.of(url), url);
            urls.add(url);
        }
        mine.more.clear();
        RedisLink.list(claimed.get(5))
                .forEach(job -> find(host).orElseThrow().more.add(Integer.parseInt(string(job))));
        mine.cold.clear();
        var cold = RedisLink.list(claimed.get(6));
        for (var i = 0; i < cold.size(); i += 3) {
            mine.cold.add(
                    new Loads.Wanted(
                            Integer.parseInt(string(cold.get(i))),
                            string(cold.get(i + 1)),
                            Stretch.read((byte[]) cold.get(i + 2))));
        }
        var state = Records.readHost(host, (byte[]) claimed.get(2));
        var delayedUntil = Long.parseLong(string(claimed.get(3)));
        local.borrow(new Loan(state, delayedUntil, urls), Instant.ofEpochMilli(now));
        slowDown(host, string(claimed.get(7)));
        return mine;
    }

    /** Another worker has read how slowly a host that is held here is to be asked. */
    private void slowDown(String host, String delay) {
        if (!delay.isEmpty()) {
            local.slowDownAtLeast(host, Duration.ofMillis(Long.parseLong(delay)));
            find(host).ifPresent(Held::mark); // So that the fleet hears that it was heard.
        }
    }

    /** Notes which lease is out for which URL. */
    void handedOut(Lease lease) {
        var mine = held.get(lease.url().host());
        if (mine == null) {
            throw new IllegalStateException("leased from a host that is not held: " + lease);
        }
        out.put(lease.token(), new Out(mine, new UrlId(lease.job().number(), lease.url().key())));
    }

    boolean isOut(Lease lease) {
        return out.containsKey(lease.token());
    }

    /** How many leases are out for a job. */
    long leased(int job) {
        return out.values().stream().filter(each -> each.id.job() == job).count();
    }

    Optional<Restored> url(UrlId id, String host) {
        return find(host).map(mine -> mine.urls.get(id));
    }

    void moving(Lease lease) {
        moving.add(lease.token());
    }

    /** The refusals since the last call. */
    int takeRefused() {
        moving.clear();
        var count = refused;
        refused = 0;
        return count;
    }

    /** Counts something with the settlement of a lease. */
    void count(Lease lease, String field, long by) {
        var mine = out.get(lease.token());
        if (mine != null) {
            mine.held.change('C', bytes(lease.job().number()), bytes(field), bytes(by));
        }
    }

    /** Drops everything of a job, which is no more. */
    void forget(int job) {
        out.values().removeIf(each -> touch(each, each.id.job() == job));
        for (var mine : held.values()) {
            var had = mine.urls.keySet().removeIf(id -> id.job() == job);
            if (mine.more.remove(job) || had) {
                mine.mark();
            }
        }
    }

    private static boolean touch(Out each, boolean ends) {
        if (ends) {
            each.held.mark();
            if (each.guestOf != null) {
                each.guestOf.mark();
            }
        }
        return ends;
    }

    boolean anythingToTell() {
        return !changed.isEmpty();
    }

    /** What there is to tell of hosts that changed, with those that are used up given back. */
    List<Shards.Errand> commits(Instant now) {
        changed.removeIf(mine -> held.get(mine.host) != mine); // A guest's host may be gone.
        return commits(List.copyOf(changed), Return.USED_UP, now);
    }

    /** What there is to tell of some hosts, and which of them go back with it. */
    List<Shards.Errand> commits(Collection<Held> some, Return which, Instant now) {
        var byShard = new LinkedHashMap<Integer, List<Held>>();
        some.forEach(
                mine ->
                        byShard.computeIfAbsent(shards.of(mine.host), _ -> new ArrayList<>())
                                .add(mine));
        var errands = new ArrayList<Shards.Errand>();
        byShard.forEach((shard, hosts) -> errands.add(commit(shard, hosts, which, now)));
        return errands;
    }

    private Shards.Errand commit(int shard, List<Held> hosts, Return which, Instant now) {
        var args = new ArrayList<byte[]>();
        args.add(bytes(settings.hostLease().toMillis()));
        var kinds = new ArrayList<List<byte[]>>();
        for (var mine : hosts) {
            var standing = local.standing(mine.host).orElseThrow();
            var size = mine.size();
            var changes = mine.takeChanges();
            var goes = !givesUp(changes) && which.goes(mine, standing);
            kinds.add(changes);
            args.add(bytes(mine.host));
            args.add(mine.token);
            args.add(Records.write(standing.host()));
            args.add(bytes(delayedUntil(standing, goes, now)));
            args.add(bytes(standing.host().restUntil()));
            args.add(bytes(standing.delay()));
            args.add(bytes(standing.host().pages()));
            args.add(bytes(goes ? "R" : "K"));
            args.add(bytes(size));
            args.addAll(changes);
            mine.renewedAt = now.toEpochMilli();
            if (goes) {
                drop(mine, now);
            }
        }
        return new Shards.Errand(
                shard, Script.COMMIT, args, answer -> told(hosts, kinds, string(answer), now));
    }

    /**
     * One that goes while leases are out may have been asked just now: its delay begins anew. That
     * of one which is asked several times at once counts from when a request was sent; here it is
     * only known when its URL was leased and when it was over, and the later is safe.
     */
    private static long delayedUntil(Loan.Standing standing, boolean goes, Instant now) {
        if (!goes) {
            return standing.delayedUntil();
        }
        var asked = standing.leased() > 0 ? now.toEpochMilli() : standing.host().lastEnded();
        return standing.leased() > 0 || (standing.startToStart() && asked > 0)
                ? Math.max(standing.delayedUntil(), asked + standing.delay())
                : standing.delayedUntil();
    }

    private static boolean givesUp(List<byte[]> changes) {
        for (var i = 0; i < changes.size(); i += Held.CHANGE) {
            if (changes.get(i)[0] == 'G') {
                return true;
            }
        }
        return false;
    }

    private void told(List<Held> hosts, List<List<byte[]>> changes, String answer, Instant now) {
        var verdicts = answer.split(" ", -1);
        for (var i = 0; i < hosts.size(); i++) {
            var told = verdicts[i].split("~", 2);
            var verdict = told[0];
            var mine = hosts.get(i);
            if (told.length > 1 && held.get(mine.host) == mine) {
                slowDown(mine.host, told[1]);
            }
            for (var j = 1; j < verdict.length(); j++) {
                var kind = (char) changes.get(i).get(Held.CHANGE * (j - 1))[0];
                if (verdict.charAt(j) == '0' && "DWXUM".indexOf(kind) >= 0) {
                    refused++;
                } else if (kind == 'G' && held.get(mine.host) == mine) {
                    givenUp(mine, verdict.charAt(j) == '2');
                }
            }
            if (verdict.charAt(0) == '0') {
                drop(mine, now); // Somebody else has it by now.
            }
        }
    }

    /** A host was given up; there may be more on it than one step takes. */
    private static void givenUp(Held mine, boolean more) {
        if (more) {
            mine.change('G', bytes(""));
        } else {
            mine.more.clear();
            mine.mark();
        }
    }

    /** Lets go of a host, whatever is out of it. */
    void drop(Held mine, Instant now) {
        if (held.remove(mine.host, mine)) {
            changed.remove(mine);
            local.letGo(mine.host, now);
            out.values().removeIf(each -> each.held == mine);
        }
    }

    private void buried(Restored url, FailureCause cause) {
        var mine = held.get(url.url().url().host());
        if (mine == null) {
            throw new IllegalStateException("given up on a host that is not held: " + url);
        }
        var id = UrlId.of(url);
        mine.urls.remove(id);
        mine.change('X', id.bytes(), bytes(cause.word()), Records.write(url));
        if (cause == FailureCause.HOST_DOWN) {
            mine.more.add(-1); // Not to be given back before the rest of it is given up.
        }
    }

    @Override
    public void append(FrontierEvent event) {
        switch (event) {
            case FrontierEvent.Done e -> end(e.token()).ifPresent(each -> done(each, e));
            case FrontierEvent.Withdrew e -> end(e.token()).ifPresent(each -> withdrawn(each, e));
            case FrontierEvent.Died e -> {
                var _ = end(e.token());
            }
            case FrontierEvent.Retried e ->
                    end(e.token())
                            .ifPresent(
                                    each ->
                                            rewrite(
                                                    each,
                                                    url ->
                                                            new Restored(
                                                                    url.url(),
                                                                    url.respelled(),
                                                                    url.attempts() + 1,
                                                                    url.lost(),
                                                                    e.notBefore())));
            case FrontierEvent.Respelled e ->
                    end(e.token()).ifPresent(each -> rewrite(each, url -> respelled(url, e)));
            case FrontierEvent.Released e ->
                    end(e.token())
                            .ifPresent(
                                    each ->
                                            rewrite(
                                                    each,
                                                    url ->
                                                            waiting(
                                                                    url,
                                                                    url.lost(),
                                                                    e.notBefore())));
            case FrontierEvent.Lost e ->
                    end(e.token())
                            .ifPresent(
                                    each -> rewrite(each, url -> waiting(url, url.lost() + 1, 0)));
            case FrontierEvent.Visiting e -> visiting(e);
            case FrontierEvent.SlowedDown e -> find(e.host()).ifPresent(Held::mark);
            case FrontierEvent.Accepted _,
                    FrontierEvent.Duplicates _,
                    FrontierEvent.TurnedAway _,
                    FrontierEvent.Leased _,
                    FrontierEvent.Extended _,
                    FrontierEvent.ClockSetBack _,
                    FrontierEvent.Absent _,
                    FrontierEvent.JobDeleted _,
                    FrontierEvent.Excluded _,
                    FrontierEvent.LinksDeferred _,
                    FrontierEvent.LinksTakenUp _,
                    FrontierEvent.Revived _,
                    FrontierEvent.Shelved _,
                    FrontierEvent.Marked _,
                    FrontierEvent.Seen _,
                    FrontierEvent.Seed _,
                    FrontierEvent.Filed _,
                    FrontierEvent.QueueState _,
                    FrontierEvent.Restored _,
                    FrontierEvent.Buried _,
                    FrontierEvent.Held _,
                    FrontierEvent.HostState _,
                    FrontierEvent.Deferred _,
                    FrontierEvent.Counters _,
                    FrontierEvent.End _ -> {}
        }
    }

    private static Restored waiting(Restored url, int lost, long notBefore) {
        return new Restored(url.url(), url.respelled(), url.attempts(), lost, notBefore);
    }

    private static Restored respelled(Restored url, FrontierEvent.Respelled event) {
        var facts = url.url();
        return new Restored(
                new Accepted(
                        facts.job(),
                        event.url(),
                        facts.hop(),
                        facts.depth(),
                        facts.hops() + 1,
                        facts.parent(),
                        facts.band(),
                        facts.foundAt()),
                true,
                0,
                url.lost(),
                0);
    }

    private Optional<Out> end(long token) {
        var each = out.remove(token);
        if (each == null) {
            return Optional.empty();
        }
        var _ = touch(each, true);
        if (each.held.more.remove(-1)) {
            each.held.change('G', bytes(""));
        }
        return Optional.of(each);
    }

    private void done(Out each, FrontierEvent.Done event) {
        each.held.urls.remove(each.id);
        each.held.change(
                'D', each.id.bytes(), bytes(event.page() ? "1" : "0"), bytes(event.bytes()));
    }

    private void withdrawn(Out each, FrontierEvent.Withdrew event) {
        each.held.urls.remove(each.id);
        if (moving.contains(event.token())) {
            each.held.change('M', each.id.bytes());
        } else {
            each.held.change('W', each.id.bytes(), bytes(event.why().word()), bytes(""));
        }
    }

    private void rewrite(Out each, UnaryOperator<Restored> how) {
        var before = each.held.urls.get(each.id);
        if (before == null) {
            return; // It was given up.
        }
        var after = how.apply(before);
        if (!after.equals(before)) {
            each.held.urls.put(each.id, after);
            each.held.change('U', each.id.bytes(), Records.write(after), bytes(""));
        }
    }

    private void visiting(FrontierEvent.Visiting event) {
        var each = out.get(event.token());
        if (each != null) {
            if (each.guestOf != null) {
                each.guestOf.mark();
            }
            each.guestOf = held.get(event.host());
        }
    }

    @Override
    public void commit() {}

    /** The frontier that owns this one sends nothing any more, so nothing needs to be dropped. */
    @Override
    public void abort() {}

    @Override
    public void close() {}
}
