package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.ChangeGuard;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.DeferredLinks;
import dev.orbweaver.frontier.EventLog;
import dev.orbweaver.frontier.Explanation;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierEvent.Accepted;
import dev.orbweaver.frontier.FrontierEvent.Restored;
import dev.orbweaver.frontier.FrontierStats;
import dev.orbweaver.frontier.IntakeLimits;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.Ledger;
import dev.orbweaver.frontier.Outcome;
import dev.orbweaver.frontier.Outlook;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.frontier.Settlement;
import dev.orbweaver.frontier.Usher;
import dev.orbweaver.frontier.Whereabouts;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileMark;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.LogLine;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.url.FingerprintKey;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One worker's view of a fleet's frontier.
 *
 * <p>What this worker holds is decided in {@link Holdings}; what nobody holds, in the shards. A
 * call here does its part in both and returns when Redis has it. If Redis cannot be reached the
 * call has been made all the same, as with a disk that is full: its errands wait in {@link Shards},
 * and {@link #recover} runs them. One lock makes this one caller to Redis, so that errands arrive
 * in the order in which they were given.
 *
 * <p>Time only goes forward: a worker's clock is Redis's ({@link FleetClock}), and an older time
 * than the last is taken for that one.
 */
public final class RedisFrontier implements Frontier {

    private static final Logger LOG = LoggerFactory.getLogger(RedisFrontier.class);

    /** When to ask again for something that nobody knows the time of. */
    private static final long ASK_AGAIN_MILLIS = 100;

    /** How often all that is held is looked through. */
    private static final long TEND_MILLIS = 1000;

    private static final int HOSTS_AT_ONCE = 500;
    private static final int RENEWALS_PER_LEASE = 3;

    private final FleetSettings settings;
    private final FingerprintKey key;
    private final WorkerNumber number;
    private final SeedNotes seeds;
    private boolean away;
    private final RedisLink link;
    private final Shards shards;
    private final Holdings holdings;
    private final Claims claims;
    private final Offers offers;
    private final Places places;
    private final PageQuotas quotas;
    private final Optional<Overflow> overflow;
    private final Loads loads;
    private final FleetGates gates;
    private final HeldLoans loans;
    private final Map<Integer, Consumer<Lease>> aborts = new ConcurrentHashMap<>();

    private final Map<String, FileMark> marks = new LinkedHashMap<>();

    /**
     * Whatever was not sent when a call failed half way is never sent: the hosts expire instead.
     */
    private final ChangeGuard guard = new ChangeGuard(() -> {});

    private long latest;

    /** What the whole fleet looked like a moment ago, for questions that are asked often. */
    private Optional<Views> glance = Optional.empty();

    private long glanceAt;
    private long tendedAt;

    private RedisFrontier(
            FleetSettings settings,
            FingerprintKey key,
            RedisLink link,
            Politeness politeness,
            Overflow.Rhythm rhythm,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            Optional<InstantSource> clock,
            Instant now)
            throws IOException {
        this.settings = settings;
        this.link = link;
        this.key = key;
        this.shards = new Shards(link, settings, key);
        this.holdings = new Holdings(shards, settings, politeness, log, now);
        this.overflow =
                settings.longTail() instanceof LongTail.InFiles place
                        ? Optional.of(new Overflow(link, shards, settings, place, rhythm, witness))
                        : Optional.empty();
        this.loads =
                overflow.map(each -> each.loads)
                        .orElseGet(() -> new Loads(shards, TailFiles.NONE, witness));
        this.claims = new Claims(shards, holdings, settings, loads);
        var seen = new SeenCache(settings.seenCache());
        this.number = new WorkerNumber(link, settings);
        this.seeds = new SeedNotes(link, settings);
        this.offers = new Offers(shards, number::ifGiven, seen, this::offered);
        this.places = new Places(link, shards, settings, offers);
        shards.beforeAll(places::admit);
        this.quotas = new PageQuotas(link, settings);
        this.gates = new FleetGates(link, settings, holdings.local::shared);
        this.loans =
                new HeldLoans(
                        gates.loan,
                        clock.orElse(() -> Instant.ofEpochMilli(latest)),
                        gates::renew,
                        lease -> aborts.getOrDefault(lease.job().number(), _ -> {}).accept(lease));
        shards.whenForgotten(
                () -> {
                    seen.clear(); // What it forgot is not to be called known here.
                    gates.forget();
                });
        this.latest = now.toEpochMilli();
        claims.keepTo(politeness);
        link.ask(redis -> redis.hgetall(marksKey()))
                .forEach((name, mark) -> marks.put(string(name), mark(string(name), string(mark))));
    }

    /**
     * Joins a fleet, or begins one, as a worker that sends requests.
     *
     * @param clock the fleet's time, by which loans of gates are renewed meanwhile
     */
    public static RedisFrontier open(
            FleetSettings settings, Politeness politeness, InstantSource clock) throws IOException {
        var usual = Overflow.Rhythm.USUAL;
        return open(
                settings,
                politeness,
                usual,
                _ -> {},
                UnaryOperator.identity(),
                Optional.of(clock),
                clock.instant());
    }

    /** Joins a fleet, or begins one. */
    public static RedisFrontier open(FleetSettings settings, Politeness politeness, Instant now)
            throws IOException {
        return open(settings, politeness, Overflow.Rhythm.USUAL, _ -> {}, now);
    }

    static RedisFrontier open(
            FleetSettings settings,
            Politeness politeness,
            Overflow.Rhythm rhythm,
            Consumer<Overflow.Step> witness,
            Instant now)
            throws IOException {
        return open(settings, politeness, rhythm, witness, UnaryOperator.identity(), now);
    }

    static RedisFrontier open(
            FleetSettings settings,
            Politeness politeness,
            Overflow.Rhythm rhythm,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            Instant now)
            throws IOException {
        return open(settings, politeness, rhythm, witness, log, Optional.empty(), now);
    }

    private static RedisFrontier open(
            FleetSettings settings,
            Politeness politeness,
            Overflow.Rhythm rhythm,
            Consumer<Overflow.Step> witness,
            UnaryOperator<EventLog> log,
            Optional<InstantSource> clock,
            Instant now)
            throws IOException {
        var link = RedisLink.open(settings.uri(), settings.timeout());
        try {
            var key = Charter.sign(link, settings).fingerprintKey();
            return new RedisFrontier(
                    settings, key, link, politeness, rhythm, witness, log, clock, now);
        } catch (IOException | RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /**
     * The number of this worker, by which others name the lines of its log. Whoever crawls asks for
     * it before the first page.
     */
    public int number() throws IOException {
        return number.get();
    }

    private byte[] marksKey() {
        return fleetKey("marks:" + settings.worker());
    }

    private byte[] fleetKey(String name) {
        return bytes("ow:{" + settings.fleet() + "}:" + name);
    }

    private long tick(Instant now) {
        latest = Math.max(latest, now.toEpochMilli());
        return latest;
    }

    private Instant steady(Instant now) {
        return now.toEpochMilli() < tick(now) ? Instant.ofEpochMilli(latest) : now;
    }

    /** Redis answered an offer: a seed is noted as one, and a host that is held has more now. */
    private void offered(Restored url, boolean taken) {
        var facts = url.url();
        if (taken) {
            holdings.find(facts.url().host()).ifPresent(mine -> mine.more.add(facts.job()));
            overflow.ifPresent(each -> each.offered(1));
            shards.get(shards.of(facts.url().host())).stir(latest);
        }
    }

    /** Tells the fleet all there is to tell. */
    private void tell(Instant now) {
        do {
            shards.queue(holdings.commits(now));
            shards.flush(latest);
        } while (holdings.anythingToTell());
    }

    /** Keeps what is held, and gives back what was held for long enough. */
    private void tend(Instant now) {
        var lease = settings.hostLease().toMillis();
        if (latest - tendedAt < Math.min(TEND_MILLIS, lease / 10)) {
            return;
        }
        tendedAt = latest;
        var back = new ArrayList<Held>();
        for (var mine : List.copyOf(holdings.all())) {
            var standing = holdings.local.standing(mine.host).orElseThrow();
            var far = Math.max(standing.delayedUntil(), standing.host().restUntil());
            if (standing.leased() == 0 && (latest - mine.since > lease || far > latest + lease)) {
                back.add(mine);
            } else if (latest - mine.renewedAt > lease / RENEWALS_PER_LEASE) {
                mine.mark();
            }
        }
        if (!back.isEmpty()) {
            back.forEach(mine -> shards.get(shards.of(mine.host)).stir(latest));
            shards.queue(holdings.commits(back, Holdings.Return.IDLE, now));
        }
        if (!back.isEmpty() || holdings.anythingToTell()) {
            tell(now);
        }
        overflow.ifPresent(each -> each.tend(latest));
    }

    /** Moves all that is queued and not claimed into files. */
    synchronized void spillAll() throws IOException {
        if (overflow.isPresent()) {
            overflow.get().moveAll(latest);
        }
    }

    @Override
    public FingerprintKey fingerprintKey() {
        return key;
    }

    @Override
    public synchronized void offer(JobId job, List<Candidate> candidates, Instant now) {
        guard.run(
                () -> {
                    var _ = tick(now);
                    var some = overflow.map(Overflow::urlsAtOnce).orElse(Integer.MAX_VALUE);
                    for (var from = 0; from < candidates.size(); from += some) {
                        var to = (int) Math.min((long) from + some, candidates.size());
                        take(job.number(), candidates.subList(from, to), 0);
                    }
                    shards.queue(offers.take());
                    seeds.note();
                    shards.flush(latest);
                    overflow.ifPresent(each -> each.tend(latest));
                });
    }

    private void take(int job, List<Candidate> candidates, long parent) {
        seeds.take(job, candidates);
        if (Places.limits(offers.limitOf(job))) {
            places.ask(job, candidates, parent);
        } else {
            offers.add(job, candidates, parent, latest);
        }
        if (overflow.isPresent() && offers.size() >= overflow.get().urlsAtOnce()) {
            sendSome(overflow.get());
        }
    }

    /** Sends what was found so far, and has room made for what follows. */
    private void sendSome(Overflow room) {
        shards.queue(offers.take());
        try {
            seeds.note();
            shards.flush(latest);
        } catch (FrontierBlockedException e) {
            LOG.debug("said when all was taken: {}", e.getMessage());
        }
        room.tend(latest);
    }

    private <T> T asking(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends Future<T>> command) {
        try {
            return link.ask(command);
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
    }

    @Override
    public synchronized List<Lease> lease(int max, Instant now) {
        return guard.change(
                () -> {
                    return lease(max, Optional.empty(), now);
                });
    }

    @Override
    public synchronized List<Lease> lease(int max, Map<JobId, Integer> wanted, Instant now) {
        return guard.change(
                () -> {
                    return lease(max, Optional.of(new HashMap<>(wanted)), now);
                });
    }

    private List<Lease> lease(int max, Optional<Map<JobId, Integer>> wanted, Instant now) {
        var time = steady(now);
        if (!recover()) {
            return List.of();
        }
        var leases = new ArrayList<Lease>();
        try {
            tend(time);
            if (wanted.isPresent()) {
                quotas.bound(wanted.get(), this::pages, holdings::leased, latest);
            }
            leases.addAll(local(max, wanted, time));
            if (leases.size() < max) {
                claims.refill(time, latest);
                leases.addAll(local(max - leases.size(), wanted, time));
            }
            // What was claimed for one job may turn out to have nothing for it but for another.
            for (var got = 1; leases.size() < max && got > 0; ) {
                var jobs = wanted.map(RedisFrontier::wanting);
                got =
                        jobs.isPresent() && jobs.get().isEmpty()
                                ? 0
                                : claims.claim(max - leases.size(), jobs, latest);
                leases.addAll(local(max - leases.size(), wanted, time));
            }
            if (holdings.anythingToTell()) {
                tell(time); // Leases that were lost.
            }
            return leases;
        } catch (FrontierBlockedException e) {
            LOG.warn("no more is leased: {}", e.getMessage());
            return leases; // These are out, whatever else could not be asked.
        } catch (IOException e) {
            LOG.warn("how many pages may still be leased cannot be asked: {}", e.getMessage());
            return leases;
        }
    }

    private long pages(int job) {
        return Views.ledger(views().ofJob(job), 0).pages();
    }

    private static Set<Integer> wanting(Map<JobId, Integer> wanted) {
        var jobs = new TreeSet<Integer>();
        wanted.forEach(
                (job, count) -> {
                    if (count > 0) {
                        jobs.add(job.number());
                    }
                });
        return jobs;
    }

    private List<Lease> local(int max, Optional<Map<JobId, Integer>> wanted, Instant now) {
        var leases =
                wanted.isPresent()
                        ? holdings.local.lease(max, wanted.get(), now)
                        : holdings.local.lease(max, now);
        var own = new ArrayList<Lease>(leases.size());
        for (var lease : leases) {
            holdings.handedOut(lease);
            quotas.leased(lease.job().number());
            wanted.ifPresent(left -> left.merge(lease.job(), -1, Integer::sum));
            own.add(
                    LogLine.worker(lease.parent()) == number.ifGiven()
                            ? lease.withParent(LogLine.line(lease.parent()))
                            : lease);
        }
        return own;
    }

    @Override
    public synchronized Optional<Instant> pass(
            Lease lease, CrawlUrl url, InetAddress address, Instant now) {
        return guard.change(
                () -> {
                    var time = steady(now);
                    if (!recover() || !holdings.isOut(lease)) {
                        return Optional.of(time.plusMillis(ASK_AGAIN_MILLIS));
                    }
                    if (holdings.find(lease.url().host()).filter(this::mayBeLost).isPresent()) {
                        // This process may have stood still: another worker may have the host by
                        // now.
                        holdings.find(lease.url().host()).ifPresent(Held::mark);
                        return Optional.of(time.plusMillis(ASK_AGAIN_MILLIS));
                    }
                    try {
                        if (holdings.find(url.host()).isEmpty()) {
                            var answer = claims.byName(url.host(), bytes(""), false, latest);
                            if (string(answer.get(1)).isEmpty()) {
                                return Optional.of(
                                        Instant.ofEpochMilli(
                                                Long.parseLong(string(answer.get(3)))));
                            }
                            var _ = holdings.borrow(answer, latest);
                        }
                        var again = gates.take(url.host(), address, latest);
                        var closed =
                                again.isPresent()
                                        ? again.map(Instant::ofEpochMilli)
                                        : holdings.local.pass(lease, url, address, time);
                        holdings.find(url.host())
                                .filter(mine -> !mine.host.equals(lease.url().host()))
                                .filter(_ -> closed.isPresent())
                                .ifPresent(Held::mark);
                        if (holdings.anythingToTell()) {
                            tell(time);
                        }
                        if (closed.isEmpty()) {
                            hold(lease, url, address);
                        }
                        return closed;
                    } catch (IOException e) {
                        LOG.warn("a gate cannot be asked: {}", e.getMessage());
                        return Optional.of(time.plusMillis(ASK_AGAIN_MILLIS));
                    } catch (FrontierBlockedException e) {
                        LOG.warn("a host cannot be asked for: {}", e.getMessage());
                        return Optional.of(time.plusMillis(ASK_AGAIN_MILLIS));
                    }
                });
    }

    private void hold(Lease lease, CrawlUrl url, InetAddress address) {
        var held = gates.held(url.host(), address);
        if (held.isEmpty()) {
            loans.ended(lease.token()); // Of a request before this one.
        } else {
            loans.began(lease, held, gates.lentUntil(held));
        }
    }

    @Override
    public void whenRevoked(JobId job, Consumer<Lease> abort) {
        aborts.put(job.number(), abort);
    }

    private boolean mayBeLost(Held mine) {
        return latest - mine.renewedAt > settings.hostLease().toMillis() * 2 / 3;
    }

    /** Takes no lock that is held while Redis is asked: this is called where requests go out. */
    @Override
    public void sent(Lease lease, Instant now) {
        holdings.local.sent(lease, now);
    }

    @Override
    public synchronized boolean extend(Lease lease, Instant deadline) {
        return guard.change(
                () -> {
                    return holdings.local.extend(lease, deadline);
                });
    }

    @Override
    public synchronized boolean release(Lease lease, Pause why, Instant now) {
        return guard.change(
                () -> {
                    var time = steady(now);
                    loans.ended(lease.token());
                    if (!holdings.isOut(lease)) {
                        return false;
                    }
                    var released = holdings.local.release(lease, why, time);
                    tell(time);
                    var refused = holdings.takeRefused();
                    return released && refused == 0;
                });
    }

    @Override
    public synchronized int settle(Batch batch, Instant now) {
        return guard.change(
                () -> {
                    var time = steady(now);
                    var valid = new ArrayList<Settlement>();
                    var seen = new HashSet<Long>();
                    for (var settlement : batch.settlements()) {
                        loans.ended(settlement.lease().token());
                        if (holdings.isOut(settlement.lease())
                                && seen.add(settlement.lease().token())) {
                            valid.add(settlement);
                        }
                    }
                    Optional<FrontierBlockedException> blocked = Optional.empty();
                    try {
                        offerLinks(valid);
                    } catch (FrontierBlockedException e) {
                        blocked = Optional.of(e); // They come first whenever Redis is back.
                    }
                    var refused =
                            holdings.local.settle(
                                    new Batch(valid.stream().map(this::bare).toList(), List.of()),
                                    time);
                    if (blocked.isPresent()) {
                        shards.queue(holdings.commits(time));
                        var _ = holdings.takeRefused();
                        throw blocked.get();
                    }
                    tell(time);
                    mark(batch.marks());
                    overflow.ifPresent(each -> each.tend(latest));
                    return batch.settlements().size()
                            - valid.size()
                            + refused
                            + holdings.takeRefused();
                });
    }

    private void offerLinks(List<Settlement> settlements) {
        for (var settlement : settlements) {
            var job = settlement.lease().job().number();
            take(job, settlement.found(), settlement.capture());
            if (settlement.linksDeferred()) {
                offers.count(job, "df." + settings.worker(), 1);
            }
            if (settlement.outcome() instanceof Outcome.Respelled(var url)
                    && !url.host().equals(settlement.lease().url().host())) {
                holdings.moving(settlement.lease());
                arrive(settlement.lease(), url);
            }
        }
        shards.queue(offers.take());
        seeds.note();
        shards.flush(latest);
    }

    private void arrive(Lease lease, CrawlUrl url) {
        var id = new UrlId(lease.job().number(), lease.url().key());
        var before = holdings.url(id, lease.url().host()).orElseThrow();
        var facts = before.url();
        offers.arrive(
                new Restored(
                        new Accepted(
                                facts.job(),
                                url,
                                facts.hop(),
                                facts.depth(),
                                facts.hops() + 1,
                                facts.parent(),
                                facts.band(),
                                facts.foundAt()),
                        true,
                        0,
                        before.lost(),
                        0));
    }

    /** What is left of a settlement when its links are with their shards. */
    private Settlement bare(Settlement settlement) {
        var lease = settlement.lease();
        settlement
                .refused()
                .forEach((why, count) -> holdings.count(lease, "r." + why.word(), count));
        var elsewhere =
                settlement.outcome() instanceof Outcome.Respelled(var url)
                        && !url.host().equals(lease.url().host());
        return Settlement.of(
                lease,
                elsewhere ? new Outcome.Withdrawn(Refusal.SCOPE) : settlement.outcome(),
                settlement.signal());
    }

    private static FileMark mark(String name, String text) {
        var space = text.indexOf(' ');
        return new FileMark(
                name,
                Long.parseLong(text.substring(0, space)),
                Integer.parseInt(text.substring(space + 1)));
    }

    private void mark(List<FileMark> files) {
        if (files.isEmpty()) {
            return;
        }
        var changed = new IdentityHashMap<byte[], byte[]>();
        for (var file : files) {
            marks.put(file.name(), file);
            changed.put(bytes(file.name()), bytes(file.length() + " " + file.checksum()));
        }
        var _ = asking(redis -> redis.hset(marksKey(), changed));
    }

    @Override
    public synchronized void slowDownAtLeast(String host, Duration delay) {
        guard.run(
                () -> {
                    if (delay.isPositive()) {
                        slowDown(host, delay, true);
                    }
                });
    }

    @Override
    public synchronized void slowDown(String host, Duration delay) {
        guard.run(
                () -> {
                    slowDown(host, delay, false);
                });
    }

    private void slowDown(String host, Duration delay, boolean atLeast) {
        var time = Instant.ofEpochMilli(latest);
        if (holdings.find(host).isEmpty()) {
            var answer = claims.byName(host, bytes(""), true, latest);
            if (string(answer.get(1)).isEmpty()) {
                tellHolder(host, delay);
                return;
            }
            holdings.borrow(answer, latest).mark();
        }
        if (atLeast) {
            holdings.local.slowDownAtLeast(host, delay);
        } else {
            holdings.local.slowDown(host, delay);
        }
        if (holdings.anythingToTell()) {
            tell(time);
        }
    }

    private void tellHolder(String host, Duration delay) {
        var question =
                Shards.question(shards.of(host), Script.SLOW, bytes(host), bytes(delay.toMillis()));
        var _ = shards.ask(List.of(question), latest);
    }

    @Override
    public synchronized void weigh(JobId job, int weight) {
        guard.run(
                () -> {
                    holdings.local.weigh(job, weight);
                    claims.weigh(job.number(), weight);
                });
    }

    @Override
    public synchronized void keepTo(JobId job, Politeness politeness, Instant now) {
        guard.run(
                () -> {
                    holdings.local.keepTo(job, politeness, steady(now));
                    claims.keepTo(politeness);
                });
    }

    @Override
    public synchronized void limit(JobId job, IntakeLimits limits) {
        guard.run(
                () -> {
                    offers.limit(job.number(), limits);
                    if (Places.limits(limits)) {
                        try {
                            places.open(job.number());
                        } catch (IOException e) {
                            throw new FrontierBlockedException(e);
                        }
                    }
                });
    }

    @Override
    public synchronized void limitPages(JobId job, long pages) {
        quotas.limit(job.number(), pages);
    }

    @Override
    public synchronized void exclude(JobId job, HostSet hosts, Instant now) {
        guard.run(
                () -> {
                    var time = steady(now);
                    if (hosts.isEmpty() && !offers.excludes(job.number())) {
                        return; // Others may have a list, and this worker has nothing to take back.
                    }
                    offers.exclude(job.number(), hosts);
                    giveBackAll(time);
                    holdings.local.exclude(job, hosts, time);
                    for (var shard : shards.all()) {
                        var key = Places.acceptedKey(shard, job.number());
                        var in = new ArrayList<byte[]>();
                        var out = new ArrayList<byte[]>();
                        for (var host : asking(redis -> redis.hkeys(key))) {
                            (hosts.contains(string(host)) ? out : in).add(host);
                        }
                        excludeIn(shard, job, true, out);
                        excludeIn(shard, job, false, in);
                        shard.stir(latest);
                    }
                });
    }

    private void excludeIn(Shards.Shard shard, JobId job, boolean out, List<byte[]> hosts) {
        for (var from = 0; from < hosts.size(); from += HOSTS_AT_ONCE) {
            var args = new ArrayList<byte[]>();
            args.add(bytes(job.number()));
            args.add(bytes(out ? "1" : "0"));
            args.addAll(hosts.subList(from, Math.min(from + HOSTS_AT_ONCE, hosts.size())));
            var _ =
                    shards.ask(
                            List.of(new Shards.Errand(shard.number, Script.EXCLUDE, args, _ -> {})),
                            latest);
        }
    }

    /** Gives back every host of which nothing is out. */
    private void giveBackAll(Instant now) {
        var idle =
                holdings.all().stream()
                        .filter(
                                mine ->
                                        holdings.local.standing(mine.host).orElseThrow().leased()
                                                == 0)
                        .toList();
        idle.forEach(mine -> shards.get(shards.of(mine.host)).stir(latest));
        shards.queue(holdings.commits(idle, Holdings.Return.IDLE, now));
        tell(now);
    }

    @Override
    public synchronized void show(JobId job, Usher usher) {
        guard.run(
                () -> {
                    offers.show(job.number(), usher);
                });
    }

    @Override
    public synchronized void deleteJob(JobId job, Instant now) {
        guard.run(
                () -> {
                    var time = steady(now);
                    giveBackAll(time);
                    holdings.local.deleteJob(job, time);
                    holdings.forget(job.number());
                    offers.forget(job.number());
                    places.forget(job.number());
                    quotas.forget(job.number());
                    aborts.remove(job.number());
                    for (var shard : shards.all()) {
                        var question =
                                Shards.question(
                                        shard.number,
                                        Script.FORGET,
                                        bytes(job.number()),
                                        bytes(HOSTS_AT_ONCE));
                        while (string(shards.ask(List.of(question), latest).getFirst())
                                .equals("1")) {
                            shard.stir(latest);
                        }
                    }
                    var _ = asking(redis -> redis.del(seeds.key(job.number())));
                    var _ = asking(redis -> redis.del(places.key(job.number())));
                    var _ =
                            asking(
                                    redis ->
                                            redis.del(
                                                    bytes(Board.trapsKey(settings, job.number()))));
                    var _ = asking(redis -> redis.del(PageQuotas.key(settings, job.number())));
                    tell(time);
                });
    }

    @Override
    public synchronized long revive(JobId job, Predicate<DeadLetter> which, Instant now) {
        return guard.change(
                () -> {
                    var time = steady(now);
                    var revival = new Revival(link, shards, holdings, claims, loads, job, which);
                    return revival.run(() -> giveBackAll(time), latest);
                });
    }

    @Override
    public synchronized boolean recover() {
        return guard.change(
                () -> {
                    try {
                        seeds.note();
                        shards.flush(latest);
                        away = false;
                        return true;
                    } catch (FrontierBlockedException e) {
                        away = e.getCause() instanceof RedisAwayException;
                        if (!away) {
                            // It may be that it has no memory left, which can be mended.
                            overflow.ifPresent(each -> each.relieve(latest));
                        }
                        return false;
                    }
                });
    }

    @Override
    public synchronized boolean isAway() {
        guard.check();
        return away;
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
                    var _ = steady(now);
                    var before = deferred(job);
                    offers.turnAway(job.number(), refused);
                    take(job.number(), found, capture);
                    offers.count(job.number(), "df." + settings.worker(), -1);
                    offers.count(
                            job.number(),
                            "du." + settings.worker(),
                            Math.max(0, capture - before.takenUpTo()));
                    shards.queue(offers.take());
                    seeds.note();
                    shards.flush(latest);
                });
    }

    @Override
    public synchronized DeferredLinks deferred(JobId job) {
        guard.check();
        if (!glance().ofJob(job.number()).containsKey("df." + settings.worker())) {
            return DeferredLinks.NONE;
        }
        var counters = views().ofJob(job.number());
        return new DeferredLinks(
                counters.getOrDefault("df." + settings.worker(), 0L),
                counters.getOrDefault("du." + settings.worker(), 0L));
    }

    @Override
    public synchronized long queuedBytes() {
        guard.check();
        return ledger().queued() * 100;
    }

    private Views views() {
        var questions =
                shards.all().stream()
                        .map(shard -> Shards.question(shard.number, Script.VIEW))
                        .toList();
        return Views.of(shards.ask(questions, latest), latest);
    }

    /**
     * The same as it was a moment ago. While Redis is away this is what was seen last: whoever asks
     * for figures is not to fail for it.
     */
    private Views glance() {
        if (glance.isEmpty() || latest - glanceAt >= settings.glance().toMillis()) {
            try {
                glance = Optional.of(views());
            } catch (FrontierBlockedException e) {
                if (glance.isEmpty()) {
                    throw e;
                }
                LOG.debug("the fleet is told of as it was: {}", e.getMessage());
            }
            glanceAt = latest;
        }
        return glance.get();
    }

    /**
     * Read one after another, shards do not show one moment: a page may be settled on the second
     * after the first was read, and its links with it. But what was accepted and what has ended
     * only ever grow. So what has ended is counted first and what was ever accepted second; when
     * these are the same, nothing was left at the moment between.
     */
    @Override
    public synchronized boolean exhausted(JobId job) {
        guard.check();
        try {
            return isExhausted(job);
        } catch (FrontierBlockedException e) {
            LOG.debug("nobody can say whether anything is left", e);
            return false;
        }
    }

    private boolean isExhausted(JobId job) {
        var seen = ledger(job);
        if (seen.queued() > 0 || seen.leased() > 0) {
            return false;
        }
        var fleet = views();
        if (fleet.heldBack() > 0) {
            return false; // What a server forgot may not have been offered again yet.
        }
        var counters = fleet.ofJob(job.number());
        var deferred =
                counters.entrySet().stream()
                        .filter(each -> each.getKey().startsWith("df."))
                        .anyMatch(each -> each.getValue() > 0);
        if (deferred) {
            return false;
        }
        var before = Views.ledger(counters, 0);
        var after = Views.ledger(views().ofJob(job.number()), 0);
        return before.done() + before.dead() + before.withdrawn() == after.accepted();
    }

    @Override
    public synchronized Outlook outlook(Instant now) {
        return guard.change(
                () -> {
                    var time = steady(now);
                    try {
                        if (recover()) {
                            tend(time);
                            return glance().outlook(withMore(time), holdings.all().size(), time);
                        }
                    } catch (FrontierBlockedException e) {
                        LOG.warn("the fleet cannot be seen: {}", e.getMessage());
                    }
                    return new Outlook(
                            false,
                            holdings.local.outlook(time).leased(),
                            1,
                            Optional.of(time.plus(Views.LOOK_AGAIN)),
                            "");
                });
    }

    /** What this worker holds is not used up while there is more of it in Redis. */
    private Outlook withMore(Instant now) {
        var own = holdings.local.outlook(now);
        var due = own.nextDue();
        var on = own.restingOn();
        var delayed = own.delayed();
        for (var mine : holdings.all()) {
            var standing = holdings.local.standing(mine.host).orElseThrow();
            if (!mine.more.isEmpty() && standing.leased() == 0 && standing.waiting().isEmpty()) {
                var rest = Math.max(standing.host().restUntil(), mine.coldUntil);
                var turn = Instant.ofEpochMilli(Math.max(standing.delayedUntil(), rest));
                delayed += rest > standing.delayedUntil() ? 0 : 1;
                if (due.isEmpty() || turn.isBefore(due.get())) {
                    due = Optional.of(turn);
                    on = rest > standing.delayedUntil() ? mine.host : on;
                }
            }
        }
        var because = on.equals(own.restingOn()) ? own.because() : "";
        return new Outlook(own.ready(), own.leased(), delayed, due, on, because);
    }

    /**
     * Where a URL stands that this process does not hold, for whoever looks on.
     *
     * @param refused how many URLs of the job were turned away for what reason
     */
    public synchronized Whereabouts whereabouts(
            JobId job, CrawlUrl url, Map<Refusal, Long> refused) {
        var letter = Letters.find(shards, loads, settings, job, url, latest);
        return new Whereabouts(
                letter.state(),
                letter.url()
                        .map(
                                it ->
                                        new Whereabouts.Found(
                                                it.url().url(),
                                                it.url().hop(),
                                                it.url().depth(),
                                                it.url().parent(),
                                                Instant.ofEpochMilli(it.url().foundAt()))),
                seeds(job),
                List.of(),
                refused);
    }

    @Override
    public synchronized Explanation explain(JobId job, CrawlUrl url) {
        guard.check();
        return holdings.url(new UrlId(job.number(), url.key()), url.host()).isPresent()
                ? holdings.local.explain(job, url)
                : Letters.find(shards, loads, settings, job, url, latest).state();
    }

    @Override
    public synchronized List<CrawlUrl> seeds(JobId job) {
        guard.check();
        return seeds.of(job);
    }

    @Override
    public synchronized List<FileMark> marks() {
        guard.check();
        return List.copyOf(marks.values());
    }

    @Override
    public synchronized Ledger ledger() {
        guard.check();
        return ledger(glance());
    }

    private Ledger ledger(Views fleet) {
        var leased = holdings.local.outlook(Instant.ofEpochMilli(latest)).leased();
        return Views.ledger(fleet.total(), leased);
    }

    @Override
    public synchronized Ledger ledger(JobId job) {
        guard.check();
        return Views.ledger(glance().ofJob(job.number()), holdings.leased(job.number()));
    }

    @Override
    public synchronized FrontierStats stats() {
        guard.check();
        var fleet = glance();
        return new FrontierStats(
                ledger(fleet),
                fleet.hosts(holdings.local.stats().hosts()),
                Views.dead(fleet.total()),
                Views.refusals(fleet.total()));
    }

    @Override
    public synchronized FrontierStats stats(JobId job) {
        guard.check();
        var fleet = glance();
        var counters = fleet.ofJob(job.number());
        return new FrontierStats(
                Views.ledger(counters, holdings.leased(job.number())),
                fleet.hosts(holdings.local.stats().hosts()),
                Views.dead(counters),
                Views.refusals(counters));
    }

    /**
     * Those that this worker holds by name; of the others only how many there are is known, and not
     * how many other workers hold.
     */
    @Override
    public synchronized JobHosts hosts(JobId job, int max, Instant now) {
        return guard.change(
                () -> {
                    var own = holdings.local.hosts(job, max, steady(now));
                    var glance = glance();
                    var others = glance.turns().getOrDefault(job.number(), Views.Turns.NONE);
                    var counts = own.counts();
                    return new JobHosts(
                            new FrontierStats.Hosts(
                                    counts.idle(),
                                    counts.waiting() + others.waiting(),
                                    counts.ready() + others.ready(),
                                    counts.busy(),
                                    counts.resting()),
                            own.first(),
                            Stream.concat(
                                            own.blocked().stream(),
                                            glance.blocked(job.number()).stream())
                                    .sorted(JobHosts.LATEST_FIRST)
                                    .limit(JobHosts.BLOCKED_MAX)
                                    .toList());
                });
    }

    /**
     * Hands on the dead letters of a job, wherever they came from; nothing is changed.
     *
     * @return how many were left out, as they were given up while they lay in files
     */
    public long deadLetters(JobId job, Consumer<DeadLetter> out) throws IOException {
        var packed = 0L;
        for (var shard : shards.all()) {
            packed += Letters.dead(link, shard, job.number(), out);
        }
        return packed;
    }

    /** Says that this worker is there, and what it does; those not heard of for long are struck. */
    public synchronized void beat(String doing, Instant now) {
        guard.run(
                () -> {
                    var time = tick(now);
                    var sign = bytes(time + " " + doing);
                    var _ =
                            asking(
                                    redis ->
                                            redis.hset(
                                                    workersKey(), bytes(settings.worker()), sign));
                    for (var each : asking(redis -> redis.hgetall(workersKey())).entrySet()) {
                        var seen = Fleet.heard(string(each.getKey()), string(each.getValue()));
                        if (seen.seen().plus(settings.absence()).toEpochMilli() < time) {
                            var _ = asking(redis -> redis.hdel(workersKey(), each.getKey()));
                            forgetCalls(each.getKey());
                        }
                    }
                });
    }

    /** What shards keep so that a call can be repeated is of no use once its worker has gone. */
    private void forgetCalls(byte[] worker) {
        for (var shard : shards.all()) {
            var _ = asking(redis -> redis.hdel(bytes(shard.base + ":last"), worker));
        }
    }

    private byte[] workersKey() {
        return fleetKey("workers");
    }

    /** How many of a job's queued URLs lie in files. */
    public synchronized long cold(JobId job) {
        return glance().ofJob(job.number()).getOrDefault("cold", 0L);
    }

    /** How often Redis's answer was waited for. */
    public long roundTrips() {
        return link.roundTrips();
    }

    /** Writes nothing more to Redis, where the fleet that this worker joined is no longer. */
    public void abandon() {
        loans.close();
        link.close();
    }

    /**
     * Leaves the fleet: every host goes back, those with leases out with their delay begun anew.
     * After a failure nothing is sent, as what waits here may be half of a settlement; the claims
     * expire after the host lease, as those of a process that was killed.
     */
    @Override
    public synchronized void close() {
        if (guard.failed()) {
            loans.close();
            link.close();
            return;
        }
        var now = Instant.ofEpochMilli(latest);
        try {
            shards.queue(holdings.commits(List.copyOf(holdings.all()), Holdings.Return.ALL, now));
            shards.flush(latest);
            var _ = asking(redis -> redis.hdel(workersKey(), bytes(settings.worker())));
            forgetCalls(bytes(settings.worker()));
        } catch (FrontierBlockedException e) {
            LOG.warn(
                    "the worker leaves without a word, its hosts come back by themselves: {}",
                    e.getMessage());
        } finally {
            loans.close();
            link.close();
        }
    }
}
