package dev.orbweaver.frontier;

import dev.orbweaver.frontier.FrontierEvent.Rest;
import dev.orbweaver.frontier.FrontierEvent.Touch;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.url.RegistrableDomain;

import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The contract over a {@link Workbench}: decides what happens, writes it to the log as events,
 * applies them.
 *
 * <p>Every public call is one group in the log, so after a crash it has happened wholly or not at
 * all. One lock makes it one writer; the lock is held over the log's write because the order of the
 * log must be the order of the calls.
 */
public final class WorkbenchFrontier implements Frontier {

    private static final long GUEST_RETRY_MILLIS = 100;

    private final Politeness politeness;
    private final Workbench bench;
    private final EventLog log;
    private final HostSchedule schedule;
    private final Deadlines deadlines = new Deadlines();
    private final Gates gates;

    /**
     * Goes on with whatever the workbench holds; leases that were out when the last process died
     * are lost.
     */
    public WorkbenchFrontier(Politeness politeness, Workbench bench, EventLog log, Instant now) {
        this.politeness = politeness;
        this.bench = bench;
        this.log = log;
        var resumed = !bench.pristine();
        this.gates = new Gates(resumed ? now.toEpochMilli() : 0);
        this.schedule = new HostSchedule(politeness.perHost());
        reopen(now.toEpochMilli());
    }

    /** A frontier that dies with its process, for tests. */
    public static Frontier inMemory(Politeness politeness, Instant now) {
        return new WorkbenchFrontier(politeness, new Workbench(politeness), EventLog.NONE, now);
    }

    /**
     * The figures of a workbench that somebody else is working on: its leases are out, not lost.
     */
    public static FrontierStats stats(Politeness politeness, Workbench bench, Instant now) {
        var ledger = bench.ledger();
        var hosts = new WorkbenchFrontier(politeness, bench, EventLog.NONE, now).schedule.hosts();
        return new FrontierStats(ledger, hosts, bench.deadByCause(), bench.refusedByReason());
    }

    private void reopen(long now) {
        for (var token : List.copyOf(bench.leases.keySet())) {
            record(new FrontierEvent.Lost(token, new Touch(now, Rest.NONE, 0, false)));
        }
        log.commit();
        for (var host : bench.hosts.values()) {
            host.reopen(now, politeness.hostDelay().toMillis());
            schedule.place(host, now);
        }
    }

    @Override
    public synchronized void offer(JobId job, List<Candidate> candidates, Instant now) {
        accept(job, candidates, 0, now.toEpochMilli());
        log.commit();
    }

    private void accept(JobId job, List<Candidate> candidates, long parent, long now) {
        var duplicates = 0;
        for (var candidate : candidates) {
            if (bench.hasSeen(job.number(), candidate.url().key())) {
                duplicates++;
            } else {
                var host = bench.host(candidate.url().host());
                var band = Priority.band(Priority.score(candidate, host.pages));
                record(
                        new FrontierEvent.Accepted(
                                job.number(),
                                candidate.url(),
                                candidate.hop(),
                                candidate.depth(),
                                candidate.hops(),
                                parent,
                                band,
                                now));
                schedule.place(host, now);
            }
        }
        if (duplicates > 0) {
            record(new FrontierEvent.Duplicates(duplicates));
        }
    }

    @Override
    public synchronized List<Lease> lease(int max, Instant now) {
        var time = now.toEpochMilli();
        giveBackLost(time);
        schedule.wakeDue(time);
        var leases = new ArrayList<Lease>();
        while (leases.size() < max) {
            var host = schedule.nextReady();
            if (host.isEmpty()) {
                break;
            }
            host.get().take(time).ifPresent(url -> leases.add(hold(host.get(), url, time)));
            schedule.place(host.get(), time);
        }
        if (!leases.isEmpty()) {
            log.commit();
        }
        return leases;
    }

    private Lease hold(HostQueue host, QueuedUrl url, long now) {
        var token = bench.nextToken();
        var deadline = now + politeness.leaseTime().toMillis();
        log.append(new FrontierEvent.Leased(host.name, url.id, token, deadline));
        bench.hold(host, url, token, deadline);
        if (startToStart(host)) {
            host.nextAllowed = Math.max(host.nextAllowed, now + delayOf(host));
        }
        deadlines.add(token, deadline);
        return url.lease(token, deadline);
    }

    private void giveBackLost(long now) {
        for (var token : deadlines.passed(now)) {
            var held = bench.heldBy(token);
            if (held.isPresent() && held.get().deadline > now) {
                deadlines.add(token, held.get().deadline);
            } else if (held.isPresent()) {
                // The holder may have asked the host just now, so the delay counts from here.
                record(new FrontierEvent.Lost(token, new Touch(now, Rest.NONE, 0, false)));
                schedule.place(held.get().host, now);
                letGo(token, held.get(), now);
                log.commit();
            }
        }
    }

    @Override
    public synchronized Optional<Instant> pass(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        var time = now.toEpochMilli();
        var host = bench.host(url.host());
        var guest = !url.host().equals(lease.url().host());
        var wanted = gatesOf(host, address);
        var opensAt = Math.max(gates.opensAt(wanted, time), guest ? guestMayEnter(host, time) : 0);
        if (opensAt > time) {
            return Optional.of(Instant.ofEpochMilli(opensAt));
        }
        gates.take(lease.token(), wanted);
        if (guest) {
            record(new FrontierEvent.Visiting(lease.token(), host.name));
            schedule.leaveLine(host);
            schedule.place(host, time);
            log.commit();
        }
        return Optional.empty();
    }

    /**
     * When a host may be asked by the holder of another host's lease: when it would itself be given
     * out.
     */
    private long guestMayEnter(HostQueue host, long now) {
        var full = host.leased >= host.capacity(politeness.perHost());
        return Math.max(
                full ? now + GUEST_RETRY_MILLIS : 0, Math.max(host.nextAllowed, host.restUntil));
    }

    /**
     * With several requests to a host under way at once, its delay runs from the start of one to
     * the start of the next.
     */
    private boolean startToStart(HostQueue host) {
        return host.capacity(politeness.perHost()) > 1;
    }

    private List<Gates.Gate> gatesOf(HostQueue host, InetAddress address) {
        var wanted = new ArrayList<Gates.Gate>(3);
        if (startToStart(host) && delayOf(host) > 0) {
            wanted.add(new Gates.Gate("host " + host.name, delayOf(host)));
        }
        if (politeness.ipDelay().isPositive()) {
            wanted.add(new Gates.Gate(Gates.key(address), politeness.ipDelay().toMillis()));
        }
        if (politeness.domainDelay().isPositive()) {
            wanted.add(
                    new Gates.Gate(
                            "domain " + RegistrableDomain.of(host.name),
                            politeness.domainDelay().toMillis()));
        }
        return wanted;
    }

    private long delayOf(HostQueue host) {
        return Math.max(politeness.hostDelay().toMillis(), host.robotsDelay);
    }

    @Override
    public synchronized void sent(Lease lease, Instant now) {
        gates.sent(lease.token(), ceilMillis(now));
    }

    @Override
    public synchronized boolean extend(Lease lease, Instant deadline) {
        if (bench.heldBy(lease.token()).isEmpty()) {
            return false;
        }
        record(new FrontierEvent.Extended(lease.token(), deadline.toEpochMilli()));
        log.commit();
        return true;
    }

    @Override
    public synchronized boolean release(Lease lease, Pause why, Instant now) {
        var held = bench.heldBy(lease.token());
        if (held.isEmpty()) {
            return false;
        }
        var host = held.get().host;
        record(new FrontierEvent.Released(lease.token(), touch(why)));
        log.commit();
        letGo(lease.token(), held.get(), now.toEpochMilli());
        if (why instanceof Pause.Gate(var until)) {
            // A closed gate is nothing the host did: it is not journalled, because every gate is
            // closed after a restart.
            host.nextAllowed = Math.max(host.nextAllowed, ceilMillis(until));
        }
        schedule.place(host, now.toEpochMilli());
        return true;
    }

    /** What else hangs on a lease that has ended. */
    private void letGo(long token, Workbench.Holding held, long now) {
        gates.ended(token, now);
        if (held.guestOf != null) {
            schedule.place(held.guestOf, now);
        }
    }

    private static Touch touch(Pause why) {
        return switch (why) {
            case Pause.Gate _ -> Touch.NONE;
            case Pause.Stopping(var ended) -> new Touch(ceilMillis(ended), Rest.NONE, 0, false);
            case Pause.RobotsFetched(var ended) ->
                    new Touch(ceilMillis(ended), Rest.NONE, 0, false);
            case Pause.RobotsUnreachable(var ended, var until) ->
                    new Touch(ceilMillis(ended), Rest.ROBOTS, ceilMillis(until), false);
        };
    }

    @Override
    public synchronized int settle(Batch batch, Instant now) {
        var refused = 0;
        for (var settlement : batch.settlements()) {
            var held = bench.heldBy(settlement.lease().token());
            if (held.isEmpty()) {
                refused++;
            } else {
                record(event(settlement));
                letGo(settlement.lease().token(), held.get(), now.toEpochMilli());
                countRefused(settlement.refused());
                accept(
                        settlement.lease().job(),
                        settlement.found(),
                        settlement.capture(),
                        now.toEpochMilli());
                schedule.place(held.get().host, now.toEpochMilli());
            }
        }
        batch.marks().forEach(mark -> record(new FrontierEvent.Marked(mark.name(), mark.length())));
        log.commit();
        return refused;
    }

    private void countRefused(Map<Refusal, Integer> refused) {
        refused.forEach((why, count) -> record(new FrontierEvent.TurnedAway(why, count)));
    }

    private static FrontierEvent event(Settlement settlement) {
        var token = settlement.lease().token();
        var touch = touch(settlement.signal());
        return switch (settlement.outcome()) {
            case Outcome.Done(var page, var bytes) ->
                    new FrontierEvent.Done(token, page, bytes, touch);
            case Outcome.Retry(var notBefore, _) ->
                    new FrontierEvent.Retried(token, ceilMillis(notBefore), touch);
            case Outcome.Dead(var cause) -> new FrontierEvent.Died(token, cause, touch);
            case Outcome.Respelled(var url) -> new FrontierEvent.Respelled(token, url, touch);
            case Outcome.Withdrawn(var why) -> new FrontierEvent.Withdrew(token, why, touch);
        };
    }

    private static Touch touch(HostSignal signal) {
        return switch (signal) {
            case HostSignal.Untouched _ -> Touch.NONE;
            case HostSignal.Healthy(var ended) -> new Touch(ceilMillis(ended), Rest.NONE, 0, false);
            case HostSignal.Failing(var ended) -> new Touch(ceilMillis(ended), Rest.NONE, 0, true);
            case HostSignal.Slow(var ended, var until) ->
                    new Touch(ceilMillis(ended), Rest.ASKED, ceilMillis(until), false);
        };
    }

    /** Rounded up, so that no wait is ever a fraction of a millisecond too short. */
    private static long ceilMillis(Instant time) {
        return time.plusNanos(999_999).toEpochMilli();
    }

    @Override
    public synchronized void slowDown(String host, Duration delay) {
        if (bench.host(host).robotsDelay != delay.toMillis()) {
            record(new FrontierEvent.SlowedDown(host, delay.toMillis()));
            log.commit();
        }
    }

    @Override
    public synchronized Outlook outlook(Instant now) {
        schedule.wakeDue(now.toEpochMilli());
        var next = schedule.nextWaiting();
        return new Outlook(
                schedule.anyReady(),
                bench.leases.size(),
                schedule.plainlyWaiting(),
                next.map(host -> Instant.ofEpochMilli(host.dueAt)),
                next.map(host -> host.name).orElse(""));
    }

    @Override
    public synchronized Explanation explain(JobId job, CrawlUrl url) {
        if (!bench.hasSeen(job.number(), url.key())) {
            return new Explanation.NeverAccepted();
        }
        return new UrlSearch(bench, job.number(), url.key()).find();
    }

    @Override
    public synchronized List<CrawlUrl> seeds(JobId job) {
        return List.copyOf(bench.seeds.getOrDefault(job.number(), List.of()));
    }

    @Override
    public synchronized List<FileMark> marks() {
        return bench.marks.entrySet().stream()
                .map(mark -> new FileMark(mark.getKey(), mark.getValue()))
                .toList();
    }

    @Override
    public synchronized FrontierStats stats() {
        return new FrontierStats(
                bench.ledger(), schedule.hosts(), bench.deadByCause(), bench.refusedByReason());
    }

    @Override
    public synchronized void close() {
        log.close();
    }

    private void record(FrontierEvent event) {
        log.append(event);
        bench.apply(event);
    }
}
