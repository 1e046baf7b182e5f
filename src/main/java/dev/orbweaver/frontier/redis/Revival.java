package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.FrontierEvent.Restored;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;

/** Takes dead letters of a job back, shard by shard and host by host. */
final class Revival {

    private static final int AT_ONCE = 1000;

    private final RedisLink link;
    private final Shards shards;
    private final Holdings holdings;
    private final Claims claims;
    private final Loads loads;
    private final JobId job;
    private final Predicate<DeadLetter> which;

    Revival(
            RedisLink link,
            Shards shards,
            Holdings holdings,
            Claims claims,
            Loads loads,
            JobId job,
            Predicate<DeadLetter> which) {
        this.link = link;
        this.shards = shards;
        this.holdings = holdings;
        this.claims = claims;
        this.loads = loads;
        this.job = job;
        this.which = which;
    }

    /** How many letters were taken back; {@code tell} has the fleet know of each host at once. */
    long run(Runnable tell, long now) {
        var count = 0L;
        try {
            for (var shard : shards.all()) {
                count += run(shard, tell, now);
            }
            return count;
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
    }

    private long run(Shards.Shard shard, Runnable tell, long now) throws IOException {
        var packed = bytes(shard.base + ":dr:" + job.number());
        for (var stretch : link.ask(redis -> redis.smembers(packed))) {
            loads.unpackDead(shard, job.number(), Stretch.read(stretch), now);
        }
        var key = bytes(shard.base + ":dead:" + job.number());
        var ids = link.ask(redis -> redis.hkeys(key));
        var count = 0L;
        for (var from = 0; from < ids.size(); from += AT_ONCE) {
            var some = ids.subList(from, Math.min(from + AT_ONCE, ids.size()));
            var byHost = new LinkedHashMap<String, List<Letters.Letter>>();
            for (var letter : read(key, some)) {
                byHost.computeIfAbsent(letter.url().url().url().host(), _ -> new ArrayList<>())
                        .add(letter);
            }
            for (var each : byHost.entrySet()) {
                count += takeBack(each.getKey(), each.getValue(), tell, now);
            }
        }
        shard.stir(now);
        return count;
    }

    private List<Letters.Letter> read(byte[] key, List<byte[]> ids) throws IOException {
        var letters = new ArrayList<Letters.Letter>();
        for (var each : link.ask(redis -> redis.hmget(key, ids.toArray(byte[][]::new)))) {
            if (each.hasValue()) {
                letters.add(Letters.read(job.number(), each.getValue()));
            }
        }
        letters.sort(Comparator.comparingLong(letter -> letter.url().url().foundAt()));
        letters.removeIf(letter -> !which.test(DeadLetter.of(letter.url(), letter.cause())));
        return letters;
    }

    private long takeBack(String host, List<Letters.Letter> letters, Runnable tell, long now) {
        if (holdings.find(host).isEmpty()) {
            var answer = claims.byName(host, bytes(""), true, now);
            if (!string(answer.get(1)).isEmpty()) {
                var _ = holdings.borrow(trusting(answer), now);
            }
        }
        if (holdings.find(host).isEmpty()) {
            return takeBackWithoutHolding(host, letters, now);
        }
        var mine = holdings.find(host).get();
        for (var letter : letters) {
            mine.change(
                    'V',
                    UrlId.of(letter.url()).bytes(),
                    anew(letter),
                    bytes(letter.cause().word()));
            mine.more.add(job.number());
        }
        tell.run();
        return letters.size();
    }

    private static byte[] anew(Letters.Letter letter) {
        var before = letter.url();
        return Records.write(new Restored(before.url(), before.respelled(), 0, 0, 0));
    }

    /** Another worker has the host, so it is thought to work; its letters wait behind the rest. */
    private long takeBackWithoutHolding(String host, List<Letters.Letter> letters, long now) {
        var args = new ArrayList<byte[]>();
        args.add(bytes(host));
        args.add(bytes(job.number()));
        for (var letter : letters) {
            args.add(UrlId.of(letter.url()).bytes());
            args.add(anew(letter));
            args.add(bytes(letter.cause().word()));
        }
        var question = new Shards.Errand(shards.of(host), Script.REVIVE, args, _ -> {});
        return Long.parseLong(string(shards.ask(List.of(question), now).getFirst()));
    }

    /** A claimed host as one that has just answered: somebody believes that it works again. */
    private static List<Object> trusting(List<?> claimed) {
        var host = string(claimed.get(0));
        var state = Records.readHost(host, (byte[]) claimed.get(2));
        var all = new ArrayList<Object>(claimed);
        all.set(2, Records.write(Records.trusted(state)));
        return all;
    }
}
