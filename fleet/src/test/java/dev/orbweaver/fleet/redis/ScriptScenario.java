package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.CommitRequest.Change;
import dev.orbweaver.fleet.redis.CommitRequest.HostCommit;
import dev.orbweaver.fleet.redis.OfferRequest.CounterChange;
import dev.orbweaver.fleet.redis.OfferRequest.OfferedUrl;
import dev.orbweaver.fleet.redis.ScriptConstants.AgendaAction;
import dev.orbweaver.fleet.redis.ScriptConstants.Counter;
import dev.orbweaver.fleet.redis.ScriptConstants.CounterGroup;
import dev.orbweaver.fleet.redis.ScriptConstants.JobField;
import dev.orbweaver.fleet.redis.ScriptConstants.LoadTarget;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferMode;
import dev.orbweaver.fleet.redis.ScriptConstants.ShardKey;
import dev.orbweaver.fleet.redis.ShardUrlReader.DeadRecord;
import dev.orbweaver.fleet.redis.SpillRequest.QueueSwap;
import dev.orbweaver.fleet.redis.SpillRequest.Tail;
import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.FrontierEvent.HostState;
import dev.orbweaver.internal.frontier.FrontierEvent.Rest;
import dev.orbweaver.internal.frontier.IntakeLimits;
import dev.orbweaver.internal.frontier.LastResult;
import dev.orbweaver.internal.frontier.PageMemo;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeedPosition;
import dev.orbweaver.internal.revisit.HostRates;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.VisitNumber;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Calls to an empty Redis, with every request and almost every kind of reply. */
final class ScriptScenario {

    /** A call, or a plain command that prepares one. */
    sealed interface Step {

        String title();
    }

    record Command(String title, List<String> words) implements Step {}

    record Call(
            String title, String key, List<ShardRequest.Header> header, ScriptRequest<?> request)
            implements Step {}

    static final String SHARD = "ow:{golden.s0}";

    private static final int JOB = 7;
    private static final String A = "a.example";
    private static final String B = "b.example";
    private static final String C = "c.example";

    private final List<Step> steps = new ArrayList<>();
    private long now = 1_000_000;
    private String worker = "worker-1";

    private ScriptScenario() {}

    static List<Step> steps() {
        var scenario = new ScriptScenario();
        scenario.queues();
        scenario.files();
        scenario.end();
        scenario.keys();
        scenario.revisits();
        return scenario.steps;
    }

    private void call(String title, ShardRequest<?> request) {
        now += 10;
        var header =
                new ShardRequest.Header("run-1", now, worker, "process:" + steps.size(), 60_000);
        steps.add(new Call(title, SHARD, List.of(header), request));
    }

    private void call(String title, KeyRequest<?> request) {
        steps.add(new Call(title, request.key(), List.of(), request));
    }

    private void command(String title, String... words) {
        steps.add(new Command(title, List.of(words)));
    }

    private static CrawlUrl url(String host, int number) {
        var key = new Fingerprint(0x8000_0001_8000_0003L * number, (short) number);
        return new CrawlUrl("http://" + host + "/" + number, host, key);
    }

    private static UrlId id(String host, int number) {
        return new UrlId(JOB, url(host, number).key());
    }

    private static QueuedUrl state(String host, int number, int attempts, long notBefore) {
        var facts =
                new AcceptedUrl(
                        JOB, url(host, number), Hop.LINK, 2, 0, CaptureRef.ofLine(5), 1, 999_000);
        return new QueuedUrl(facts, false, attempts, 0, notBefore);
    }

    private static OfferedUrl offered(OfferMode mode, int job, String host, int number, int max) {
        var facts =
                new AcceptedUrl(
                        job, url(host, number), Hop.LINK, 2, 0, CaptureRef.ofLine(5), 1, 999_000);
        return new OfferedUrl(mode, new QueuedUrl(facts, false, 0, 0, 0), max, 2);
    }

    private static ClaimRequest claim(int hosts, String host, String token, boolean force) {
        var jobs = host.isEmpty() ? Set.of(JOB) : Set.<Integer>of();
        return new ClaimRequest(
                0, 30_000, hosts, 2, host, token, force, 1_500, jobs, Map.of(JOB, 2));
    }

    private static HostCommit commit(
            String host, String token, long restUntil, boolean released, Change... changes) {
        var rest = restUntil > 0 ? Rest.CIRCUIT_BREAKER : Rest.NONE;
        var state = new HostState(host, 999_500, rest, restUntil, 1, 0, 0, 12, 40, List.of(3L));
        return new HostCommit(token, state, 1_000_040, 1_500, released, List.of(changes));
    }

    private static CommitRequest commit(HostCommit... hosts) {
        return new CommitRequest(0, 30_000, List.of(hosts));
    }

    private static ShardRequest.Find find(String host, int number) {
        return new ShardRequest.Find(0, JOB, url(host, number));
    }

    private void queues() {
        command("a deleted job", "SADD", SHARD + ShardKey.DELETED.text(), "9");
        call(
                "offer",
                new OfferRequest(
                        0,
                        List.of(new CounterChange(JOB, CounterGroup.refused(Refusal.SCOPE), 2)),
                        List.of(
                                offered(OfferMode.OFFER, JOB, A, 1, 0),
                                offered(OfferMode.OFFER, JOB, A, 2, 0),
                                offered(OfferMode.OFFER, JOB, A, 3, 3),
                                offered(OfferMode.OFFER, JOB, A, 4, 3),
                                offered(OfferMode.REPLAY, JOB, A, 1, 0),
                                offered(OfferMode.EXCLUDED, JOB, B, 5, 0),
                                offered(OfferMode.MOVED, JOB, C, 6, 0),
                                offered(OfferMode.VISITED, JOB, A, 7, 0),
                                offered(OfferMode.VISITED, JOB, A, 1, 0),
                                offered(OfferMode.OFFER, 9, A, 1, 0))));
        var begin = SeedPosition.start("000001-x.list");
        var middle = new SeedPosition("000001-x.list", 500, 7, 2);
        call("store how far seeds were read", new ShardRequest.SeedsRead(0, JOB, begin, middle));
        call("store the same again", new ShardRequest.SeedsRead(0, JOB, begin, middle));
        call(
                "store what another worker has read",
                new ShardRequest.SeedsRead(
                        0, JOB, begin, new SeedPosition("000001-x.list", 100, 2, 0)));
        call("add seeds", new ShardRequest.AddSeeds(0, JOB, "more.list", "id", 1));
        var more = SeedPosition.start("000002-more.list");
        call(
                "store that a list was read to its end",
                new ShardRequest.SeedsRead(
                        0, JOB, more, new SeedPosition("000002-more.list", 1, 7, 0)));
        call("add seeds of a deleted job", new ShardRequest.AddSeeds(0, 9, "x.list", "id", 1));
        call(
                "which URLs are known",
                new ShardRequest.CheckSeen(0, JOB, 0, List.of(url(A, 1), url(A, 8), url(B, 9))));
        call(
                "which URLs are known, with a limit per host",
                new ShardRequest.CheckSeen(0, JOB, 1, List.of(url(A, 1), url(A, 8), url(B, 9))));
        call("claim the next host", claim(1, "", "", false));
        call("claim a host that is claimed", claim(1, A, "", false));
        call("claim more URLs", claim(1, A, "1", false));
        call("find a claimed URL", find(A, 1));
        call("find a queued URL", find(C, 6));
        call("find an unknown URL", find(B, 5));
        worker = "worker-2";
        call("report a delay", new ShardRequest.ReportCrawlDelay(0, A, 5_000));
        worker = "worker-1";
        call(
                "commit",
                commit(
                        commit(
                                A,
                                "1",
                                0,
                                false,
                                new Change.Done(id(A, 1), true, 1_234),
                                new Change.Updated(id(A, 2), state(A, 2, 1, 1_000_500)),
                                new Change.Counted(JOB, Counter.BYTES.text(), 1),
                                new Change.Requeued(state(A, 4, 0, 0), FailureCause.TIMEOUT)),
                        commit(B, "9", 0, true, new Change.Moved(id(B, 5)))));
        call("find a settled URL", find(A, 1));
        call(
                "release a host that rests",
                commit(
                        commit(
                                A,
                                "1",
                                1_060_000,
                                true,
                                new Change.Dead(state(A, 2, 1, 0), FailureCause.TIMEOUT),
                                new Change.Withdrawn(id(A, 3), Refusal.ROBOTS))));
        call("find a dead letter", find(A, 2));
        var letters = List.of(new DeadRecord(state(A, 2, 0, 0), FailureCause.TIMEOUT));
        call("requeue", new ShardRequest.Requeue(0, A, JOB, letters));
        call("view", new ShardRequest.View(0));
    }

    private static ScheduledPage page(int number, int dueInSeconds) {
        var memo = new PageMemo(new VisitNumber(2, 77), new byte[KnownPage.BYTES]);
        var facts =
                new AcceptedUrl(
                        JOB,
                        url(A, number),
                        Hop.LINK,
                        2,
                        0,
                        new CaptureRef(3, 5),
                        1,
                        999_000,
                        LastResult.PAGE,
                        memo);
        return new ScheduledPage(
                new QueuedUrl(facts, false, 0, 0, 0),
                Instant.parse("2030-01-01T00:00:00Z").plusSeconds(dueInSeconds));
    }

    private static ShardRequest.QueueRevisits queueRevisits(long token, boolean early) {
        return new ShardRequest.QueueRevisits(
                0, JOB, token, 10, early, Instant.parse("2030-01-01T00:01:00Z"), 3_600);
    }

    private void revisits() {
        now = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();
        call(
                "offer pages",
                new OfferRequest(
                        0,
                        List.of(),
                        List.of(
                                offered(OfferMode.OFFER, JOB, A, 21, 0),
                                offered(OfferMode.OFFER, JOB, A, 22, 0))));
        call("claim them", claim(1, A, "", true));
        call("claim their URLs", claim(1, A, "3", false));
        call("read no rates", new ShardRequest.ReadRates(0, JOB, List.of(A, B)));
        call(
                "visit pages that are due again",
                commit(
                        commit(
                                A,
                                "3",
                                0,
                                true,
                                new Change.Visited(id(A, 21), true, 10, Optional.of(page(21, 30))),
                                new Change.Visited(
                                        id(A, 22), true, 10, Optional.of(page(22, 7_200))),
                                new Change.Rates(
                                        JOB,
                                        Map.of(HostRates.ALL_PAGES, new byte[HostRates.BYTES])))));
        call("read rates", new ShardRequest.ReadRates(0, JOB, List.of(A)));
        call("find a page that is due later", find(A, 22));
        call("queue due pages", queueRevisits(2, false));
        call("queue pages with an old token", queueRevisits(1, true));
        call("queue pages before they are due", queueRevisits(2, true));
        call("find a page that is queued again", find(A, 21));
    }

    private void files() {
        var queue = new Tail(JOB, A, 1, 1);
        var record = RedisRecordCodec.write(state(A, 2, 0, 0));
        var range = new SpilledRange("file1", 8, 60, 1);
        var part = new OverflowFiles.SpilledPart(List.of(record), Optional.empty());
        var swap = new QueueSwap(queue, 0, 1, List.of(record, record), range, List.of(), 1);
        var what = new SpillLoader.LoadRequest(JOB, 1, range);
        call("list tails", new SpillRequest.ListTails(0, JOB, SpillRequest.ListTails.START));
        call("begin a file", new SpillRequest.BeginFile(0, 60_000, "file1"));
        worker = "worker-2";
        call("begin another file", new SpillRequest.BeginFile(0, 60_000, "file2"));
        worker = "worker-1";
        call("peek", new SpillRequest.Peek(0, JOB, 10, List.of(queue)));
        call("swap", new SpillRequest.Swap(0, "file1", 600_000, JOB, List.of(swap, swap)));
        call("end a file", new SpillRequest.EndFile(0));
        call("find a URL that may be in a file", find(A, 2));
        call("claim a host that rests", claim(1, A, "", false));
        call("claim a host that rests, without URLs", claim(1, A, "", true));
        call("claim URLs that are in a file", claim(1, A, "2", false));
        var load = new SpillRequest.Load(0, LoadTarget.QUEUE, A, what, part);
        call("load", load);
        call("load again", load);
        call("sweep", new SpillRequest.SweepFiles(0, 5, List.of("file3")));
        call("begin the file again", new SpillRequest.BeginFile(0, 60_000, "file1"));
        call("swap again", new SpillRequest.Swap(0, "file1", 600_000, JOB, List.of(swap)));
        call("a host is down", commit(commit(A, "2", 0, false, new Change.HostDown())));
        call(
                "load dead letters",
                new SpillRequest.Load(
                        0,
                        LoadTarget.DEAD_LETTERS,
                        "",
                        new SpillLoader.LoadRequest(JOB, 0, range),
                        part));
    }

    private void end() {
        call("exclude", new ShardRequest.Exclude(0, JOB, true, List.of(A, C)));
        call("find an excluded URL", find(C, 6));
        call("view excluded hosts", new ShardRequest.View(0));
        call("delete a job", new ShardRequest.DeleteJob(0, JOB, 500));
    }

    private void keys() {
        var gate = "ow:{golden.g}";
        call("take a gate", new KeyRequest.TakeGate(gate, 1_000, "p1", 10_000, 2_000, 500, false));
        call("a busy gate", new KeyRequest.TakeGate(gate, 1_010, "p2", 10_000, 2_000, 500, false));
        call("renew a gate", new KeyRequest.TakeGate(gate, 1_020, "p1", 10_000, 20_000, 500, true));
        call(
                "a gate is lost",
                new KeyRequest.TakeGate(gate, 1_030, "p2", 10_000, 2_000, 500, true));
        command(
                "a clock that was set back",
                "HSET",
                "ow:{golden}:clock",
                "last",
                "9000000000000000");
        call("clock", new KeyRequest.ReadClock("ow:{golden}:clock"));
        command("many jobs", "SET", "ow:{golden}:last-job", "2000000000");
        call("number of a job", new KeyRequest.NextJobNumber("ow:{golden}:last-job"));
        var job = "ow:{golden}" + Fleet.JOB_KEY + JOB;
        command("a queued job", "HSET", job, JobField.STATE.text(), FleetJob.State.QUEUED.id());
        call(
                "change a state",
                new KeyRequest.ChangeState(
                        job,
                        FleetJob.State.FINISHED,
                        "All is fetched.",
                        true,
                        "0",
                        "0",
                        true,
                        List.of(FleetJob.State.RUNNING, FleetJob.State.QUEUED)));
        call("change settings", new KeyRequest.ChangeSettings(job, "max-depth = 1", "a note", 3));
        call("notify", new KeyRequest.ClaimNotification(job, 1_000));
        call("notify again", new KeyRequest.ClaimNotification(job, 1_000));
        var images = new IntakeLimits.MatchLimit("type:image", _ -> true, 1);
        var all = new IntakeLimits.MatchLimit(".", _ -> true, 2);
        call(
                "reserve",
                new KeyRequest.Reserve(
                        "ow:{golden.job7}:places",
                        "worker-1",
                        "call-1",
                        1,
                        2,
                        List.of(
                                new KeyRequest.Reservation(A, "example", List.of()),
                                new KeyRequest.Reservation(B, "other", List.of()),
                                new KeyRequest.Reservation("", "example", List.of(images, all)),
                                new KeyRequest.Reservation("", "example", List.of()),
                                new KeyRequest.Reservation("", "third", List.of(all, images)),
                                new KeyRequest.Reservation("", "third", List.of(all)))));
        var duty = "ow:{golden.job7}:revisits";
        call("take a duty", new KeyRequest.RevisitDuty(duty, 1_000, "h1", 15_000, "ignored"));
        call(
                "store what its holder knows",
                new KeyRequest.RevisitDuty(duty, 1_010, "h1", 15_000, "0.1 2"));
        call(
                "a duty that another worker has",
                new KeyRequest.RevisitDuty(duty, 1_020, "h2", 15_000, "x"));
        call("end a duty", new KeyRequest.RevisitDuty(duty, 1_030, "h1", 0, "0.1 3"));
        call("take the duty of another", new KeyRequest.RevisitDuty(duty, 1_040, "h2", 15_000, ""));
        call(
                "grant pages",
                new KeyRequest.GrantPages(
                        "ow:{golden.job7}:quota", 1_000, "worker-1", 100, 20, 4, 30_000));
        call(
                "change balances",
                new KeyRequest.ChangeBalances(
                        "ow:{golden.job7}:traps",
                        "worker-1",
                        "changes-1",
                        50,
                        1_000,
                        List.of(
                                new KeyRequest.BalanceChange("p1", 60),
                                new KeyRequest.BalanceChange("p2", -3))));
        command("an agenda", "ZADD", "ow:{golden}" + Agenda.KEY, "900", "3", "900", "4");
        call(
                "update the agenda",
                new KeyRequest.UpdateAgenda(
                        "ow:{golden}" + Agenda.KEY,
                        List.of(
                                new KeyRequest.AgendaUpdate(AgendaAction.CHANGED, 2),
                                new KeyRequest.AgendaUpdate(AgendaAction.SOONER, 2, "1000", ""),
                                new KeyRequest.AgendaUpdate(AgendaAction.LATER, 3, "2000", "900.0"),
                                new KeyRequest.AgendaUpdate(AgendaAction.LATER, 4, "", "900.0"))));
    }
}
