package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import dev.orbweaver.fleet.redis.CommitRequest.Change;
import dev.orbweaver.fleet.redis.ScriptConstants.ChangeKind;
import dev.orbweaver.fleet.redis.ScriptConstants.ChangeResult;
import dev.orbweaver.fleet.redis.ScriptConstants.FilesAction;
import dev.orbweaver.fleet.redis.ScriptConstants.FindResult;
import dev.orbweaver.fleet.redis.ScriptConstants.GateResult;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferMode;
import dev.orbweaver.fleet.redis.ScriptConstants.OfferResult;
import dev.orbweaver.fleet.redis.ScriptConstants.ReserveResult;
import dev.orbweaver.fleet.redis.ScriptConstants.SeenResult;
import dev.orbweaver.fleet.redis.ShardRequest.FindReply;
import dev.orbweaver.fleet.redis.ShardUrlReader.DeadRecord;
import dev.orbweaver.internal.revisit.HostRates;
import dev.orbweaver.model.CrawlUrl;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Encodes requests as arguments of scripts and decodes the replies.
 *
 * <p>A script reads its arguments in the order in which they are written here, and uses the same
 * names.
 */
final class ScriptCodec {

    private static final byte[] NONE = {};

    private ScriptCodec() {}

    static Script script(ScriptRequest<?> request) {
        return switch (request) {
            case OfferRequest _ -> Script.OFFER;
            case ClaimRequest _ -> Script.CLAIM;
            case CommitRequest _ -> Script.COMMIT;
            case ShardRequest.View _ -> Script.VIEW;
            case ShardRequest.Exclude _ -> Script.EXCLUDE;
            case ShardRequest.DeleteJob _ -> Script.DELETE_JOB;
            case ShardRequest.Find _ -> Script.FIND;
            case ShardRequest.CheckSeen _ -> Script.SEEN;
            case ShardRequest.ReportCrawlDelay _ -> Script.CRAWL_DELAY;
            case ShardRequest.Requeue _ -> Script.REQUEUE;
            case ShardRequest.SeedsRead _ -> Script.SEEDS;
            case ShardRequest.AddSeeds _ -> Script.ADD_SEEDS;
            case ShardRequest.QueueRevisits _ -> Script.REVISITS;
            case ShardRequest.ReadRates _ -> Script.RATES;
            case KeyRequest.RevisitDuty _ -> Script.DUTY;
            case SpillRequest.ListTails _ -> Script.TAILS;
            case SpillRequest.Peek _ -> Script.PEEK;
            case SpillRequest.Swap _ -> Script.SPILL;
            case SpillRequest.BeginFile _, SpillRequest.EndFile _, SpillRequest.SweepFiles _ ->
                    Script.FILES;
            case SpillRequest.Load _ -> Script.LOAD;
            case KeyRequest.TakeGate _ -> Script.GATE;
            case KeyRequest.ReadClock _ -> Script.CLOCK;
            case KeyRequest.ChangeState _ -> Script.STATE;
            case KeyRequest.ChangeSettings _ -> Script.CHANGE;
            case KeyRequest.ClaimNotification _ -> Script.NOTIFY;
            case KeyRequest.Reserve _ -> Script.RESERVE;
            case KeyRequest.NextJobNumber _ -> Script.NUMBER;
            case KeyRequest.GrantPages _ -> Script.QUOTA;
            case KeyRequest.ChangeBalances _ -> Script.TRAPS;
            case KeyRequest.UpdateAgenda _ -> Script.AGENDA;
        };
    }

    static void encode(ShardRequest.Header header, ScriptArguments out) {
        out.text("runId", header.runId())
                .number("now", header.now())
                .text("worker", header.worker())
                .text("callId", header.callId())
                .number("pauseMillis", header.pauseMillis());
    }

    static void encode(ScriptRequest<?> request, ScriptArguments out) {
        switch (request) {
            case ShardRequest<?> shard -> encode(shard, out);
            case KeyRequest<?> key -> encode(key, out);
        }
    }

    private static void encode(ShardRequest<?> request, ScriptArguments out) {
        switch (request) {
            case OfferRequest offer -> encode(offer, out);
            case ClaimRequest claim -> encode(claim, out);
            case CommitRequest commit -> encode(commit, out);
            case ShardRequest.View _ -> {}
            case ShardRequest.Exclude(_, var job, var excluded, var hosts) -> {
                out.number("job", job).flag("excluded", excluded);
                hosts.forEach(host -> out.text("host", host));
            }
            case ShardRequest.DeleteJob(_, var job, var maxHosts) ->
                    out.number("job", job).number("maxHosts", maxHosts);
            case ShardRequest.Find(_, var job, var url) -> {
                out.number("job", job).text("host", url.host());
                out.bytes("id", new UrlId(job, url.key()).bytes());
                encodeFingerprint(url, out);
            }
            case ShardRequest.CheckSeen(_, var job, var hostLimit, var urls) -> {
                out.number("job", job).number("hostLimit", hostLimit);
                for (var url : urls) {
                    out.text("host", url.host());
                    encodeFingerprint(url, out);
                }
            }
            case ShardRequest.ReportCrawlDelay(_, var host, var delayMillis) ->
                    out.text("host", host).number("delayMillis", delayMillis);
            case ShardRequest.Requeue(_, var host, var job, var letters) -> {
                out.text("host", host).number("job", job);
                for (var letter : letters) {
                    out.bytes("id", UrlId.of(letter.url()).bytes())
                            .bytes("record", RedisRecordCodec.write(letter.url()))
                            .text("cause", letter.cause().id());
                }
            }
            case ShardRequest.SeedsRead(_, var job, var before, var after) ->
                    out.number("job", job)
                            .text("list", after.list())
                            .text("before", SeedLists.encode(before))
                            .text("after", SeedLists.encode(after))
                            .number("malformed", after.malformed() - before.malformed());
            case ShardRequest.AddSeeds(_, var job, var label, var id, var pieces) ->
                    out.number("job", job)
                            .text("label", label)
                            .text("id", id)
                            .number("pieces", pieces);
            case ShardRequest.QueueRevisits queue ->
                    out.number("job", queue.job())
                            .number("token", queue.token())
                            .number("max", queue.max())
                            .flag("early", queue.early())
                            .number("seconds", ScheduledPage.seconds(queue.now()))
                            .number("minSeconds", queue.minIntervalSeconds());
            case ShardRequest.ReadRates(_, var job, var hosts) -> {
                out.number("job", job);
                hosts.forEach(host -> out.text("host", host));
            }
            case SpillRequest<?> spill -> encode(spill, out);
        }
    }

    private static void encode(OfferRequest request, ScriptArguments out) {
        out.number("counterChanges", request.counters().size());
        for (var change : request.counters()) {
            out.number("job", change.job())
                    .text("counter", change.counter())
                    .number("by", change.by());
        }
        for (var offered : request.urls()) {
            var facts = offered.url().url();
            out.constant("mode", offered.mode())
                    .number("job", facts.job())
                    .text("host", facts.url().host())
                    .number("maxPerHost", offered.maxPerHost());
            encodeFingerprint(facts.url(), out);
            // For other modes the shard chooses the rank, which is the start of the record.
            out.text("newHostRank", rank(facts.rank()))
                    .text("knownHostRank", rank(offered.knownHostRank()))
                    .text("notBefore", RedisRecordCodec.time(offered.url()))
                    .bytes(
                            "record",
                            offered.mode() == OfferMode.MOVED
                                    ? RedisRecordCodec.write(offered.url())
                                    : RedisRecordCodec.writeWithoutHead(offered.url()));
        }
    }

    /**
     * Writes the low 32 bits, which fit into a Lua number, and all 64 as text, because they do not.
     */
    private static void encodeFingerprint(CrawlUrl url, ScriptArguments out) {
        var high = url.key().high();
        out.number("lowBits", high & 0xFFFF_FFFFL).number("fingerprint", high);
    }

    private static void encode(ClaimRequest request, ScriptArguments out) {
        var jobs = request.jobs().stream().map(String::valueOf).collect(Collectors.joining(","));
        out.number("leaseMillis", request.leaseMillis())
                .number("hosts", request.hosts())
                .number("urlsPerHost", request.urlsPerHost())
                .text("host", request.host())
                .text("token", request.token())
                .flag("force", request.force())
                .number("defaultDelayMillis", request.defaultDelayMillis())
                .text("jobs", jobs);
        request.weights().forEach((job, weight) -> out.number("job", job).number("weight", weight));
    }

    private static void encode(CommitRequest request, ScriptArguments out) {
        out.number("leaseMillis", request.leaseMillis());
        for (var host : request.hosts()) {
            out.text("host", host.state().host())
                    .text("token", host.token())
                    .bytes("state", RedisRecordCodec.write(host.state()))
                    .number("delayedUntil", host.delayedUntil())
                    .number("restUntil", host.state().restUntil())
                    .number("delayMillis", host.delayMillis())
                    .number("pages", host.state().pages())
                    .flag("released", host.released())
                    .number("changes", host.changes().size());
            host.changes().forEach(change -> encode(change, out));
        }
    }

    private static void encode(Change change, ScriptArguments out) {
        switch (change) {
            case Change.Done(var id, var page, var length) ->
                    encode(ChangeKind.DONE, id, bytes(page ? "1" : ""), bytes(length), out);
            case Change.Visited(var id, var page, var length, var next) ->
                    encode(
                            ChangeKind.VISITED,
                            id,
                            bytes(page ? "1" : ""),
                            visited(length, next.map(ScheduledPage::encode).orElse(NONE)),
                            out);
            case Change.Rates(var job, var observed) ->
                    encode(ChangeKind.RATES, bytes(job), rates(observed), NONE, out);
            case Change.Withdrawn(var id, var reason) ->
                    encode(ChangeKind.WITHDRAWN, id, bytes(reason.id()), NONE, out);
            case Change.Dead(var url, var cause) ->
                    encode(
                            ChangeKind.DEAD,
                            UrlId.of(url),
                            bytes(cause.id()),
                            RedisRecordCodec.write(url),
                            out);
            case Change.Updated(var id, var url) ->
                    encode(ChangeKind.UPDATED, id, RedisRecordCodec.write(url), NONE, out);
            case Change.Moved(var id) -> encode(ChangeKind.MOVED, id, NONE, NONE, out);
            case Change.HostDown() -> encode(ChangeKind.HOST_DOWN, NONE, NONE, NONE, out);
            case Change.Counted(var job, var counter, var by) ->
                    encode(ChangeKind.COUNTED, bytes(job), bytes(counter), bytes(by), out);
            case Change.Requeued(var url, var cause) ->
                    encode(
                            ChangeKind.REQUEUED,
                            UrlId.of(url),
                            RedisRecordCodec.write(url),
                            bytes(cause.id()),
                            out);
        }
    }

    private static byte[] visited(long length, byte[] page) {
        var head = bytes(length + " ");
        var all = Arrays.copyOf(head, head.length + page.length);
        System.arraycopy(page, 0, all, head.length, page.length);
        return all;
    }

    private static byte[] rates(Map<Integer, byte[]> observed) {
        var all = ByteBuffer.allocate(observed.size() * (Integer.BYTES + HostRates.BYTES));
        new TreeMap<>(observed).forEach((number, sums) -> all.putInt(number).put(sums));
        return all.array();
    }

    private static HostRates hostRates(ScriptReply in) {
        var stored = new HashMap<Integer, byte[]>();
        while (in.hasNext()) {
            stored.put(ByteBuffer.wrap(in.bytes()).getInt(), in.bytes());
        }
        return HostRates.of(stored);
    }

    private static void encode(
            ChangeKind kind, UrlId id, byte[] value, byte[] detail, ScriptArguments out) {
        encode(kind, id.bytes(), value, detail, out);
    }

    private static void encode(
            ChangeKind kind, byte[] id, byte[] value, byte[] detail, ScriptArguments out) {
        out.constant("kind", kind).bytes("id", id).bytes("value", value).bytes("detail", detail);
    }

    private static void encode(SpillRequest<?> request, ScriptArguments out) {
        switch (request) {
            case SpillRequest.ListTails(_, var job, var cursor) ->
                    out.number("job", job).text("cursor", cursor);
            case SpillRequest.Peek(_, var job, var max, var queues) -> {
                out.number("job", job).number("max", max);
                queues.forEach(
                        each -> out.text("host", each.host()).text("rank", rank(each.rank())));
            }
            case SpillRequest.Swap(_, var file, var maxAgeMillis, var job, var swaps) -> {
                out.text("file", file).number("maxAgeMillis", maxAgeMillis).number("job", job);
                for (var swap : swaps) {
                    out.text("host", swap.queue().host())
                            .text("rank", rank(swap.queue().rank()))
                            .number("from", swap.from())
                            .number("to", swap.to())
                            .bytes("first", swap.ends().getFirst())
                            .bytes("last", swap.ends().getLast())
                            .bytes("range", swap.range().encode())
                            .text("mergedFiles", String.join(",", swap.mergedFiles()))
                            .number("urlsInRedis", swap.urlsInRedis());
                }
            }
            case SpillRequest.BeginFile(_, var leaseMillis, var file) ->
                    encode(FilesAction.BEGIN, leaseMillis, List.of(file), out);
            case SpillRequest.EndFile(_) -> encode(FilesAction.END, 0, List.of(), out);
            case SpillRequest.SweepFiles(_, var retentionMillis, var files) ->
                    encode(FilesAction.SWEEP, retentionMillis, files, out);
            case SpillRequest.Load(_, var target, var host, var what, var part) -> {
                out.constant("target", target)
                        .number("job", what.job())
                        .text("host", host)
                        .text("rank", rank(what.rank()))
                        .bytes("range", what.spilledRange().encode())
                        .bytes("rest", part.rest().map(SpilledRange::encode).orElse(NONE));
                part.records().forEach(record -> out.bytes("record", record));
            }
        }
    }

    private static void encode(
            FilesAction action, long millis, List<String> files, ScriptArguments out) {
        out.constant("action", action).number("millis", millis);
        files.forEach(file -> out.text("file", file));
    }

    private static void encode(KeyRequest<?> request, ScriptArguments out) {
        switch (request) {
            case KeyRequest.TakeGate gate ->
                    out.number("now", gate.now())
                            .text("holder", gate.holder())
                            .number("leaseMillis", gate.leaseMillis())
                            .number("contendedMillis", gate.contendedMillis())
                            .number("delayMillis", gate.delayMillis())
                            .flag("renew", gate.renew());
            case KeyRequest.ReadClock _, KeyRequest.NextJobNumber _ -> {}
            case KeyRequest.ChangeState change -> {
                out.text("state", change.state().id())
                        .text("reason", change.reason())
                        .flag("failed", change.failed())
                        .text("version", change.version())
                        .text("seedLists", change.seedLists())
                        .flag("restart", change.restart());
                change.from().forEach(each -> out.text("from", each.id()));
            }
            case KeyRequest.ChangeSettings(_, var settings, var note, var weight) ->
                    out.text("settings", settings).text("note", note).number("weight", weight);
            case KeyRequest.ClaimNotification(_, var changeMillis) ->
                    out.number("changeMillis", changeMillis);
            case KeyRequest.Reserve reserve -> {
                out.text("worker", reserve.worker())
                        .text("callId", reserve.callId())
                        .number("maxHosts", reserve.maxHosts())
                        .number("maxPerDomain", reserve.maxPerDomain());
                for (var url : reserve.urls()) {
                    out.text("newHost", url.newHost())
                            .text("domain", url.domain())
                            .number("conditions", url.matching().size());
                    for (var limit : url.matching()) {
                        out.text("condition", limit.name()).number("max", limit.max());
                    }
                }
            }
            case KeyRequest.GrantPages grant ->
                    out.number("now", grant.now())
                            .text("worker", grant.worker())
                            .number("limit", grant.limit())
                            .number("pages", grant.pages())
                            .number("leased", grant.leased())
                            .number("ttlMillis", grant.ttlMillis());
            case KeyRequest.RevisitDuty(_, var now, var holder, var leaseMillis, var state) ->
                    out.number("now", now)
                            .text("holder", holder)
                            .number("leaseMillis", leaseMillis)
                            .text("state", state);
            case KeyRequest.UpdateAgenda(_, var updates) -> {
                for (var update : updates) {
                    out.constant("action", update.action())
                            .number("shard", update.shard())
                            .text("time", update.time())
                            .text("before", update.before());
                }
            }
            case KeyRequest.ChangeBalances balances -> {
                out.text("worker", balances.worker())
                        .text("changesId", balances.changesId())
                        .number("max", balances.max())
                        .number("maxPatterns", balances.maxPatterns());
                for (var change : balances.changes()) {
                    out.text("pattern", change.pattern()).number("by", change.by());
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // A test verifies the reply type of each request.
    static <R> R decode(ScriptRequest<R> request, Object reply) {
        return (R) read(request, new ScriptReply(reply));
    }

    private static Object read(ScriptRequest<?> request, ScriptReply in) {
        return switch (request) {
            case OfferRequest _ -> offerReply(in.text());
            case ClaimRequest _ ->
                    new ClaimRequest.Reply(
                            in.numberOr(Long.MAX_VALUE),
                            in.numberOr(0),
                            in.list().each(host -> claimedHost(host.list())));
            case CommitRequest _ ->
                    Arrays.stream(in.text().split(" ", -1)).map(ScriptCodec::hostResult).toList();
            case ShardRequest.View _ ->
                    new ShardRequest.ShardView(
                            in.integer(),
                            in.integer(),
                            in.integer(),
                            in.number(),
                            in.list().each(job -> jobView(job.list())),
                            in.list().each(ScriptCodec::restingHost));
            case ShardRequest.Find find -> find(find.job(), in);
            case ShardRequest.CheckSeen _ -> in.letters(SeenResult.values());
            case SpillRequest.ListTails tails ->
                    new SpillRequest.Tails(in.text(), in.each(tail -> tail(tails.job(), tail)));
            case SpillRequest.Peek _ -> in.each(queue -> queue.list().each(ScriptReply::bytes));
            case SpillRequest.Swap _ -> in.text().chars().mapToObj(each -> each == '1').toList();
            case SpillRequest.BeginFile _, SpillRequest.EndFile _ -> in.hasNext();
            case SpillRequest.SweepFiles _ -> in.each(ScriptReply::text);
            case ShardRequest.QueueRevisits _ ->
                    new ShardRequest.QueuedRevisits(
                            in.integer(),
                            in.integer(),
                            Optional.of(in.text())
                                    .filter(next -> !next.isEmpty())
                                    .map(next -> ScheduledPage.instant(Long.parseLong(next))));
            case ShardRequest.ReadRates _ -> in.each(host -> hostRates(host.list()));
            case KeyRequest.RevisitDuty _ ->
                    new KeyRequest.DutyReply(in.flag(), in.number(), in.text());
            case KeyRequest.TakeGate _ -> gate(in.text());
            case KeyRequest.Reserve _ -> in.letters(ReserveResult.values());
            case KeyRequest.ChangeBalances _ ->
                    Arrays.stream(in.text().split(" ", -1)).mapToInt(Integer::parseInt).toArray();
            case ShardRequest.Requeue _, KeyRequest.NextJobNumber _ -> in.integer();
            case KeyRequest.ReadClock _, KeyRequest.GrantPages _ -> in.number();
            case ShardRequest.Exclude _,
                    ShardRequest.DeleteJob _,
                    ShardRequest.ReportCrawlDelay _,
                    ShardRequest.SeedsRead _,
                    ShardRequest.AddSeeds _,
                    SpillRequest.Load _,
                    KeyRequest.ChangeState _,
                    KeyRequest.ChangeSettings _,
                    KeyRequest.ClaimNotification _,
                    KeyRequest.UpdateAgenda _ ->
                    in.flag();
        };
    }

    private static OfferRequest.Reply offerReply(String text) {
        var mark = text.indexOf(OfferRequest.DUE_MARK);
        return new OfferRequest.Reply(
                ScriptReply.letters(
                        mark < 0 ? text : text.substring(0, mark), OfferResult.values()),
                mark < 0 ? Long.MAX_VALUE : Long.parseLong(text.substring(mark + 1)));
    }

    private static ClaimRequest.Host claimedHost(ScriptReply in) {
        var name = in.text();
        return new ClaimRequest.Host(
                in.text(),
                RedisRecordCodec.readHost(name, in.bytes()),
                in.number(),
                in.list().each(url -> RedisRecordCodec.read(url.integer(), url.bytes())),
                in.list().each(ScriptReply::integer),
                in.list().each(ScriptCodec::loadRequest),
                in.numberOr(-1));
    }

    private static SpillLoader.LoadRequest loadRequest(ScriptReply in) {
        return new SpillLoader.LoadRequest(in.integer(), rank(in), in.spilledRange());
    }

    private static CommitRequest.HostResult hostResult(String text) {
        var mark = text.indexOf(CommitRequest.DELAY_MARK);
        var end = mark < 0 ? text.length() : mark;
        return new CommitRequest.HostResult(
                text.startsWith(ChangeResult.APPLIED.text()),
                ScriptReply.letters(text.substring(1, end), ChangeResult.values()),
                mark < 0 ? -1 : Long.parseLong(text.substring(mark + 1)));
    }

    private static ShardRequest.JobView jobView(ScriptReply in) {
        var job = in.integer();
        var counters = new TreeMap<String, Long>();
        for (var fields = in.list(); fields.hasNext(); ) {
            counters.put(fields.text(), fields.number());
        }
        return new ShardRequest.JobView(
                job, counters, in.integer(), in.integer(), in.text(), in.numberOr(Long.MAX_VALUE));
    }

    private static ShardRequest.RestingHost restingHost(ScriptReply in) {
        var name = in.text();
        var until = Instant.ofEpochMilli(in.number());
        return new ShardRequest.RestingHost(
                RedisRecordCodec.readHost(name, in.bytes()),
                until,
                Arrays.stream(in.text().split(",", -1))
                        .filter(job -> !job.isEmpty())
                        .map(Integer::valueOf)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static FindReply find(int job, ScriptReply in) {
        return switch (ScriptReply.constant(in.text(), FindResult.values())) {
            case NEVER -> new FindReply.Never();
            case SETTLED -> new FindReply.Settled();
            case SCHEDULED ->
                    new FindReply.Scheduled(
                            ScheduledPage.decode(job, in.bytes()), hostRates(in.list()));
            case CLAIMED ->
                    new FindReply.Claimed(
                            RedisRecordCodec.read(job, in.bytes()),
                            Instant.ofEpochMilli(in.number()));
            case DEAD -> new FindReply.Dead(DeadRecord.read(job, in.bytes()));
            case QUEUED ->
                    new FindReply.Queued(
                            RedisRecordCodec.read(job, in.bytes()),
                            in.integer(),
                            Instant.ofEpochMilli(in.number()),
                            in.flag());
            case SPILLED ->
                    new FindReply.Spilled(
                            Instant.ofEpochMilli(in.number()),
                            in.flag(),
                            in.flag(),
                            in.list().each(ScriptCodec::range));
        };
    }

    private static FindReply.Range range(ScriptReply in) {
        return new FindReply.Range(in.spilledRange(), in.integer());
    }

    private static String rank(int rank) {
        return String.valueOf(RedisRecordCodec.letter(rank));
    }

    private static int rank(ScriptReply in) {
        return in.text().charAt(0) - RedisRecordCodec.FIRST_RANK;
    }

    private static SpillRequest.Tail tail(int job, ScriptReply in) {
        return new SpillRequest.Tail(job, in.text(), rank(in), in.integer());
    }

    private static KeyRequest.GateReply gate(String text) {
        return new KeyRequest.GateReply(
                ScriptReply.constant(text.substring(0, 1), GateResult.values()),
                text.length() == 1 ? 0 : Long.parseLong(text, 1, text.length(), 10));
    }
}
