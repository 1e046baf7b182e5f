package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Health;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.url.FingerprintKey;
import dev.orbweaver.url.RegistrableDomain;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The contract over a {@link Workbench}: decides what happens, writes it to the log as events,
 * applies them.
 *
 * <p>Every public call is one group in the log, so after a crash it has happened wholly or not at
 * all. One lock makes it one writer; the lock is held over the log's write because the order of the
 * log must be the order of the calls. A call that throws before its commit has changed the
 * workbench but not the log: the {@link ChangeGuard} then drops its events and refuses every
 * further call.
 */
public final class WorkbenchFrontier implements Frontier {

    private static final Logger LOG = LoggerFactory.getLogger(WorkbenchFrontier.class);

    /** From how many on the ends of leases that have ended long ago are swept out. */
    private static final int DEADLINES_SWEPT_AT = 10_000;

    /** When to try again at a host that is busy: nobody knows when it will not be. */
    private static final long BUSY_RETRY_MILLIS = 100;

    /** How many dead letters are taken back in one group. */
    private static final int REVIVED_AT_ONCE = 50_000;

    /**
     * Callers read the clock before they are let in, so a time may be a little older than the last
     * one; more than this, and the clock was set back.
     */
    private static final long CLOCK_STEP_MILLIS = 60_000;

    /** A delay longer than a century is as good as one, and leaves room to reckon. */
    private static final Duration DELAY_MAX = Duration.ofDays(36_500);

    private final Politeness politeness;
    private final Workbench bench;
    private final EventLog log;
    private final ChangeGuard guard;
    private final HostSchedule schedule = new HostSchedule();
    private final Deadlines deadlines = new Deadlines();
    private final Gates gates;
    private final Map<Integer, Intake> intakes = new HashMap<>();
    private final Map<Integer, Usher> ushers = new HashMap<>();
    private final Map<Integer, HostSet> excluded = new HashMap<>();

    /** Leases that are out but not on disk yet. */
    private final List<Lease> withheld = new ArrayList<>();

    /**
     * Goes on with whatever the workbench holds; leases that were out when the last process died
     * are lost.
     */
    public WorkbenchFrontier(Politeness politeness, Workbench bench, EventLog log, Instant now) {
        this.politeness = politeness;
        this.bench = bench;
        this.log = log;
        this.guard = new ChangeGuard(log::abort);
        var resumed = !bench.pristine();
        this.gates = new Gates(resumed ? now.toEpochMilli() : 0);
        reopen(now.toEpochMilli());
    }

    /** A frontier that dies with its process, for tests. */
    public static Frontier inMemory(Politeness politeness, Instant now) {
        return new WorkbenchFrontier(politeness, new Workbench(politeness), EventLog.NONE, now);
    }

    /**
     * The figures of a workbench that somebody else is working on: its leases are out, not lost.
     */
    public static FrontierStats stats(Workbench bench, Instant now) {
        var schedule = new HostSchedule();
        bench.hosts.inOrder().forEach(host -> schedule.place(host, now.toEpochMilli()));
        return stats(bench, schedule);
    }

    /** The same of one job; hosts, which jobs share, are those of all. */
    public static FrontierStats stats(Workbench bench, JobId job, Instant now) {
        return new FrontierStats(
                bench.tallies().getOrDefault(job.number(), new Tally()).ledger(),
                stats(bench, now).hosts(),
                bench.tallies().getOrDefault(job.number(), new Tally()).deadByCause(),
                bench.tallies().getOrDefault(job.number(), new Tally()).refusedByReason());
    }

    private static FrontierStats stats(Workbench bench, HostSchedule schedule) {
        return stats(bench.total(), schedule);
    }

    private static FrontierStats stats(Tally tally, HostSchedule schedule) {
        return new FrontierStats(
                tally.ledger(), schedule.hosts(), tally.deadByCause(), tally.refusedByReason());
    }

    private void reopen(long now) {
        var gap = now - bench.latest();
        if (gap < 0) {
            record(new FrontierEvent.ClockSetBack(-gap));
        } else if (gap > CLOCK_STEP_MILLIS && !bench.pristine()) {
            record(new FrontierEvent.Absent(gap));
        }
        // Each goes to the front of its queue, so the first to be given back is the last taken.
        for (var token : List.copyOf(bench.leases.keySet()).reversed()) {
            // A process dies with everything it holds: no URL is to blame, so none is called lost.
            record(new FrontierEvent.Released(token, 0, Touch.at(now, Health.UNKNOWN)));
        }
        commit();
        bench.hosts.inOrder().forEach(host -> schedule.place(host, now));
    }

    /** What was recorded becomes a fact: first on disk, then for the seen sets. */
    private void commit() {
        log.commit();
        bench.committed();
    }

    /** A caller's time. When the clock was set back, all that waits waits as long as before. */
    private long time(Instant now) {
        var time = now.toEpochMilli();
        if (time < bench.latest() - CLOCK_STEP_MILLIS) {
            var by = bench.latest() - time;
            record(new FrontierEvent.ClockSetBack(by));
            gates.setClockBack(by);
            bench.leases.forEach((token, held) -> deadlines.add(token, held.deadline));
            bench.hosts.inOrder().forEach(host -> schedule.place(host, time));
        }
        return time;
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return bench.store().fingerprintKey();
    }

    @Override
    public synchronized void offer(JobId job, List<Candidate> candidates, Instant now) {
        guard.run(
                () -> {
                    accept(job.number(), candidates, 0, time(now));
                    commit();
                });
    }

    private void accept(int job, List<Candidate> candidates, long parent, long now) {
        var intake = Optional.ofNullable(intakes.get(job));
        var usher = ushers.getOrDefault(job, Usher.NONE);
        var barred = excluded.getOrDefault(job, HostSet.NONE);
        var duplicates = 0;
        for (var candidate : candidates) {
            var url = candidate.url();
            if (bench.hasSeen(job, url.key())) {
                duplicates++;
                continue;
            }
            var refusal =
                    barred.contains(url.host())
                            ? Optional.of(Refusal.EXCLUDED)
                            : intake.flatMap(limited -> limited.refuses(url));
            if (refusal.isPresent()) {
                record(new FrontierEvent.TurnedAway(job, refusal.get(), 1));
            } else {
                intake.ifPresent(limited -> limited.letIn(url));
                var lowered = usher.lowers(url, candidate.hop(), parent);
                record(accepted(job, candidate, parent, lowered, now));
                place(url.host(), now);
            }
        }
        if (duplicates > 0) {
            record(new FrontierEvent.Duplicates(job, duplicates));
        }
    }

    private FrontierEvent accepted(
            int job, Candidate candidate, long parent, int lowered, long now) {
        var pages = bench.hostNamed(candidate.url().host()).pages;
        return new FrontierEvent.Accepted(
                job,
                candidate.url(),
                candidate.hop(),
                candidate.depth(),
                candidate.hops(),
                parent,
                Priority.band(Math.max(0, Priority.score(candidate, pages) - lowered)),
                now);
    }

    @Override
    public synchronized List<Lease> lease(int max, Instant now) {
        return guard.change(
                () -> {
                    return lease(max, Demand.ofAll(), now);
                });
    }

    @Override
    public synchronized List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return guard.change(
                () -> {
                    return lease(max, Demand.of(wanted), now);
                });
    }

    private List<Lease> lease(int max, Demand demand, Instant now) {
        if (!recover()) {
            return List.of();
        }
        var time = time(now);
        giveBackLost(time);
        schedule.wakeDue(max, time);
        var leases = new ArrayList<Lease>();
        if (max > 0) {
            leases.addAll(withheld);
            withheld.clear();
        }
        while (leases.size() < max) {
            var queue = schedule.nextReady(demand);
            if (queue.isEmpty()) {
                break;
            }
            var host = queue.get().host;
            // It may have been asked to slow down since it joined the line.
            if (host.due() <= time && queue.get().workFrom() <= time) {
                leases.add(hold(queue.get(), time));
                demand.served(queue.get().job);
                schedule.served(queue.get().job);
            }
            schedule.place(host, time);
        }
        return written() ? leases : withhold(leases);
    }

    private boolean written() {
        try {
            commit();
            return true;
        } catch (FrontierBlockedException e) {
            LOG.warn("leases are not on disk yet: {}", e.getMessage());
            return false;
        }
    }

    /**
     * A request that goes out before its lease is on disk might be followed by another too soon,
     * from a process that knows nothing of it. So these leases wait until they are written.
     */
    private List<Lease> withhold(List<Lease> leases) {
        withheld.addAll(leases);
        return List.of();
    }

    private Lease hold(UrlQueue queue, long now) {
        var host = queue.host;
        if (host.releasedBy(now)) {
            LOG.info("host {} is released, its block has ended", host.name);
        }
        var token = bench.nextToken();
        var deadline = now + politeness.leaseTime().toMillis();
        var url = bench.handOut(queue, token, now, deadline);
        log.append(
                new FrontierEvent.Leased(host.name, queue.job, url.check(), token, now, deadline));
        if (host.startToStart()) {
            host.heldUntil = Math.max(host.heldUntil, now + host.delay());
            bench.heldBy(token).ifPresent(held -> held.heldTo = host.heldUntil);
        }
        deadlines.add(token, deadline);
        return url.lease(token, deadline);
    }

    private void giveBackLost(long now) {
        if (deadlines.size() > DEADLINES_SWEPT_AT + 4 * bench.leases.size()) {
            deadlines.clear(); // Mostly of leases that ended long before their time.
            bench.leases.forEach((token, held) -> deadlines.add(token, held.deadline));
        }
        for (var token : deadlines.passed(now)) {
            var held = bench.heldBy(token);
            if (held.isPresent() && held.get().deadline >= now) {
                deadlines.add(token, held.get().deadline);
            } else if (held.isPresent()) {
                // The holder may have asked the host just now, so the delay counts from here.
                record(new FrontierEvent.Lost(token, Touch.at(now, Health.UNKNOWN)));
                gates.ended(token, now);
                place(held.get(), now);
            }
        }
    }

    @Override
    public synchronized Optional<Instant> pass(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return guard.change(
                () -> {
                    if (!recover()) {
                        return Optional.of(now.plusMillis(BUSY_RETRY_MILLIS));
                    }
                    var time = time(now);
                    var held = bench.heldBy(lease.token());
                    if (held.isEmpty()) {
                        // Somebody else may be asking that host by now; the caller finds out when
                        // it gives
                        // back.
                        return Optional.of(Instant.ofEpochMilli(time + BUSY_RETRY_MILLIS));
                    }
                    var host = bench.hostNamed(url.host());
                    var guest = host != held.get().host;
                    var wanted = gatesOf(host, address);
                    var opensAt =
                            Math.max(
                                    gates.opensAt(wanted, time),
                                    guest ? guestMayEnter(host, time) : ownTurn(host, time));
                    if (opensAt > time) {
                        return Optional.of(Instant.ofEpochMilli(opensAt));
                    }
                    gates.take(lease.token(), wanted, time);
                    if (guest) {
                        var left = held.get().guestOf;
                        record(new FrontierEvent.Visiting(lease.token(), host.name, time));
                        place(held.get(), time);
                        if (left != null) {
                            schedule.place(left, time);
                        }
                        if (!written()) {
                            return Optional.of(Instant.ofEpochMilli(time + BUSY_RETRY_MILLIS));
                        }
                    }
                    return Optional.empty();
                });
    }

    /**
     * When a host may be asked by the holder of another host's lease: when it would itself be given
     * out.
     */
    private static long guestMayEnter(HostQueue host, long now) {
        return Math.max(host.full() ? now + BUSY_RETRY_MILLIS : 0, host.mayBeAsked());
    }

    /**
     * A host may have asked for a delay when several of its leases were out already: then each
     * waits for its turn, as if it were leased only now.
     */
    private static long ownTurn(HostQueue host, long now) {
        if (host.robotsDelay() == 0) {
            return 0;
        }
        return host.leased > 1 ? now + BUSY_RETRY_MILLIS : host.mayBeAsked();
    }

    private List<Gates.Gate> gatesOf(HostQueue host, InetAddress address) {
        var shared = bench.manners.shared();
        var wanted = new ArrayList<Gates.Gate>(3);
        if (host.startToStart() && host.delay() > 0) {
            wanted.add(new Gates.Gate(new Gates.Host(host.name), host.delay()));
        }
        if (shared.ipDelay().isPositive()) {
            wanted.add(new Gates.Gate(Gates.key(address), shared.ipDelay().toMillis()));
        }
        if (shared.domainDelay().isPositive()) {
            wanted.add(
                    new Gates.Gate(
                            new Gates.Domain(RegistrableDomain.of(host.name)),
                            shared.domainDelay().toMillis()));
        }
        for (var group : shared.groups()) {
            if (group.concerns(host.name, address)) {
                wanted.add(new Gates.Gate(group, group.delay().toMillis(), group.inFlight()));
            }
        }
        return wanted;
    }

    @Override
    public synchronized void sent(Lease lease, Instant now) {
        guard.check();
        gates.sent(lease.token(), Verdicts.ceilMillis(now));
    }

    @Override
    public synchronized boolean extend(Lease lease, Instant deadline) {
        return guard.change(
                () -> {
                    var held = bench.heldBy(lease.token());
                    if (held.isPresent() && deadline.toEpochMilli() > held.get().deadline) {
                        record(new FrontierEvent.Extended(lease.token(), deadline.toEpochMilli()));
                        commit();
                    }
                    return held.isPresent();
                });
    }

    @Override
    public synchronized boolean release(Lease lease, Pause why, Instant now) {
        return guard.change(
                () -> {
                    var time = time(now);
                    var held = bench.heldBy(lease.token());
                    if (held.isEmpty()) {
                        return false;
                    }
                    record(Verdicts.event(lease, why));
                    gates.ended(lease.token(), time);
                    if (why instanceof Pause.Gate(var until)) {
                        var host = held.get().host;
                        // Nothing was sent, so what the host was held for need not be waited for.
                        var others = host.heldUntil == held.get().heldTo ? 0 : host.heldUntil;
                        host.heldUntil = Math.max(others, Verdicts.ceilMillis(until));
                    }
                    place(held.get(), time);
                    commit();
                    return true;
                });
    }

    private void place(Workbench.Holding held, long now) {
        schedule.place(held.host, now);
        if (held.guestOf != null) {
            schedule.place(held.guestOf, now);
        }
    }

    private void place(String host, long now) {
        schedule.place(bench.hostNamed(host), now);
    }

    @Override
    public synchronized int settle(Batch batch, Instant now) {
        return guard.change(
                () -> {
                    var time = time(now);
                    var refused = 0;
                    for (var settlement : batch.settlements()) {
                        var held = bench.heldBy(settlement.lease().token());
                        if (held.isEmpty()) {
                            refused++;
                        } else {
                            settle(held.get(), settlement, time);
                        }
                    }
                    batch.marks().forEach(mark -> record(new FrontierEvent.Marked(mark)));
                    commit();
                    return refused;
                });
    }

    private void settle(Workbench.Holding held, Settlement settlement, long now) {
        var job = settlement.lease().job().number();
        var blockedUntil = held.host.restUntil();
        record(Verdicts.event(settlement));
        if (held.host.restUntil() > blockedUntil) {
            logBlock(held.host);
        }
        gates.ended(settlement.lease().token(), now);
        turnAway(job, settlement.refused());
        if (settlement.linksDeferred()) {
            record(new FrontierEvent.LinksDeferred(job, settlement.capture()));
        }
        accept(job, settlement.found(), settlement.capture(), now);
        place(held, now);
        if (settlement.outcome() instanceof Outcome.Respelled(var url)) {
            place(url.host(), now); // A normalisation may find two host names to be one.
        }
    }

    private static void logBlock(HostQueue host) {
        host.blockedBy()
                .ifPresent(
                        why ->
                                LOG.info(
                                        "host {} is blocked until {}: {}",
                                        host.name,
                                        Instant.ofEpochMilli(host.restUntil()),
                                        why));
    }

    @Override
    public synchronized void slowDown(String host, Duration delay) {
        guard.run(
                () -> {
                    var millis = (delay.compareTo(DELAY_MAX) > 0 ? DELAY_MAX : delay).toMillis();
                    if (bench.hostNamed(host).robotsDelay() != millis) {
                        record(new FrontierEvent.SlowedDown(host, millis));
                        commit();
                    }
                });
    }

    @Override
    public synchronized void slowDownAtLeast(String host, Duration delay) {
        guard.run(
                () -> {
                    if (delay.toMillis() > bench.hostNamed(host).robotsDelay()) {
                        slowDown(host, delay);
                    }
                });
    }

    @Override
    public synchronized void weigh(JobId job, int weight) {
        guard.run(
                () -> {
                    schedule.weigh(job.number(), weight);
                });
    }

    @Override
    public synchronized void keepTo(JobId job, Politeness asked, Instant now) {
        guard.run(
                () -> {
                    var time = time(now);
                    bench.manners.keepTo(job.number(), asked);
                    for (var host : bench.hosts.inOrder()) {
                        if (host.queueOf(job.number()) != null) {
                            host.treatedBy(bench.manners.to(host));
                            schedule.place(host, time);
                        }
                    }
                });
    }

    @Override
    public synchronized void limit(JobId job, IntakeLimits limits) {
        guard.run(
                () -> {
                    if (limits.equals(IntakeLimits.NONE)) {
                        intakes.remove(job.number());
                    } else {
                        intakes.put(job.number(), new Intake(bench, job.number(), limits));
                    }
                });
    }

    @Override
    public synchronized void exclude(JobId job, HostSet hosts, Instant now) {
        guard.run(
                () -> {
                    var time = time(now);
                    excluded.put(job.number(), hosts);
                    for (var host : bench.hosts.inOrder()) {
                        var queue = host.queueOf(job.number());
                        if (queue != null && queue.excluded != hosts.contains(host.name)) {
                            record(
                                    new FrontierEvent.Excluded(
                                            job.number(), host.name, !queue.excluded));
                            schedule.place(host, time);
                        }
                    }
                    commit();
                });
    }

    @Override
    public synchronized void show(JobId job, Usher usher) {
        guard.run(
                () -> {
                    ushers.put(job.number(), usher);
                });
    }

    @Override
    public synchronized void deleteJob(JobId job, Instant now) {
        guard.run(
                () -> {
                    var time = time(now);
                    var ending =
                            bench.leases.entrySet().stream()
                                    .filter(held -> held.getValue().url.facts.job() == job.number())
                                    .map(Map.Entry::getKey)
                                    .toList();
                    schedule.forget(job.number());
                    record(new FrontierEvent.JobDeleted(job.number(), time));
                    intakes.remove(job.number());
                    ushers.remove(job.number());
                    ending.forEach(token -> gates.ended(token, time));
                    bench.hosts.inOrder().forEach(host -> schedule.place(host, time));
                    commit();
                });
    }

    @Override
    public synchronized void takeUp(
            JobId job,
            long capture,
            List<Candidate> found,
            Map<Refusal, Integer> refused,
            Instant now) {
        guard.run(
                () -> {
                    var time = time(now);
                    turnAway(job.number(), refused);
                    accept(job.number(), found, capture, time);
                    record(new FrontierEvent.LinksTakenUp(job.number(), capture));
                    commit();
                });
    }

    private void turnAway(int job, Map<Refusal, Integer> refused) {
        refused.forEach((why, count) -> record(new FrontierEvent.TurnedAway(job, why, count)));
    }

    @Override
    public synchronized DeferredLinks deferred(JobId job) {
        guard.check();
        return bench.deferred.getOrDefault(job.number(), DeferredLinks.NONE);
    }

    @Override
    public synchronized long queuedBytes() {
        guard.check();
        return bench.ledger().queued() * bench.store().bytesPerUrl();
    }

    @Override
    public synchronized long revive(JobId job, Predicate<DeadLetter> which, Instant now) {
        var time = guard.change(() -> time(now));
        var revived = 0L;
        // The caller's predicate runs outside of a change: if it throws, nothing is half done.
        for (var some = letters(job, which, time);
                !some.isEmpty();
                some = letters(job, which, time)) {
            takeBack(some, time);
            revived += some.size();
        }
        return revived;
    }

    private void takeBack(List<FrontierEvent.Revived> some, long now) {
        guard.run(
                () -> {
                    for (var letter : some) {
                        record(letter);
                        place(letter.url().url().url().host(), now);
                    }
                    commit();
                });
    }

    /** Some of the dead letters that are to be taken back: there may be more than memory holds. */
    private List<FrontierEvent.Revived> letters(JobId job, Predicate<DeadLetter> which, long now) {
        var some = new ArrayList<FrontierEvent.Revived>();
        bench.store()
                .dead(
                        (url, cause) -> {
                            if (some.size() < REVIVED_AT_ONCE
                                    && url.url().job() == job.number()
                                    && which.test(DeadLetter.of(url, cause))) {
                                some.add(new FrontierEvent.Revived(url, cause, now));
                            }
                        });
        return some;
    }

    /** Takes a host in on loan, or more URLs of one that is here already. */
    public synchronized void borrow(Loan loan, Instant now) {
        guard.run(
                () -> {
                    var time = time(now);
                    var name = loan.host().host();
                    if (bench.hosts.find(name) == null) {
                        bench.apply(loan.host());
                        bench.hostNamed(name).heldUntil = loan.delayedUntil();
                    }
                    loan.urls().forEach(bench::apply);
                    place(name, time);
                });
    }

    /** What holds for addresses, domains and groups, as the strictest job asks. */
    public synchronized Politeness shared() {
        guard.check();
        return bench.manners.shared();
    }

    /** How a host that is here on loan stands; its URLs are not told. */
    public synchronized Optional<Loan.Standing> standing(String name) {
        guard.check();
        return Optional.ofNullable(bench.hosts.find(name)).map(Loan.Standing::of);
    }

    /** Lets a host on loan go, with everything that is here of it; its leases end. */
    public synchronized void letGo(String name, Instant now) {
        guard.run(
                () -> {
                    var host = bench.hosts.find(name);
                    if (host != null) {
                        schedule.remove(host);
                        bench.remove(host).forEach(token -> gates.ended(token, now.toEpochMilli()));
                    }
                });
    }

    @Override
    public synchronized boolean recover() {
        return guard.change(
                () -> {
                    try {
                        commit();
                        return true;
                    } catch (FrontierBlockedException e) {
                        return false;
                    }
                });
    }

    @Override
    public synchronized Outlook outlook(Instant now) {
        return guard.change(
                () -> {
                    var time = recover() ? time(now) : now.toEpochMilli();
                    schedule.wakeDue(0, time);
                    var next = schedule.nextWaiting();
                    return new Outlook(
                            schedule.anyReady(time),
                            bench.leases.size(),
                            schedule.plainlyWaiting(),
                            next.map(host -> Instant.ofEpochMilli(host.dueAt)),
                            next.map(host -> host.name).orElse(""),
                            next.flatMap(HostQueue::restsBecause).orElse(""));
                });
    }

    @Override
    public synchronized boolean exhausted(JobId job) {
        guard.check();
        var ledger = ledger(job);
        return ledger.queued() == 0 && ledger.leased() == 0;
    }

    @Override
    public synchronized Explanation explain(JobId job, CrawlUrl url) {
        guard.check();
        if (!bench.hasSeen(job.number(), url.key())) {
            return new Explanation.NeverAccepted();
        }
        return new UrlSearch(bench, job.number(), url).find();
    }

    @Override
    public synchronized List<CrawlUrl> seeds(JobId job) {
        guard.check();
        return List.copyOf(bench.seeds.getOrDefault(job.number(), List.of()));
    }

    @Override
    public synchronized List<FileMark> marks() {
        guard.check();
        return marks(bench);
    }

    /** The marks of a workbench that somebody else is working on. */
    public static List<FileMark> marks(Workbench bench) {
        return List.copyOf(bench.marks.values());
    }

    @Override
    public synchronized Ledger ledger() {
        guard.check();
        return bench.ledger();
    }

    @Override
    public synchronized Ledger ledger(JobId job) {
        guard.check();
        return tally(job).ledger();
    }

    private Tally tally(JobId job) {
        return bench.tallies().getOrDefault(job.number(), new Tally());
    }

    @Override
    public synchronized FrontierStats stats() {
        guard.check();
        return stats(bench, schedule);
    }

    @Override
    public synchronized FrontierStats stats(JobId job) {
        guard.check();
        return stats(tally(job), schedule);
    }

    @Override
    public synchronized JobHosts hosts(JobId job, int max, Instant now) {
        return guard.change(
                () -> {
                    if (recover()) {
                        schedule.wakeDue(0, time(now));
                    }
                    return JobHosts.of(bench, job.number(), max);
                });
    }

    @Override
    public synchronized void close() {
        log.close();
    }

    private void record(FrontierEvent event) {
        bench.apply(event); // First: an event that cannot be applied must never reach the log.
        log.append(event);
    }
}
