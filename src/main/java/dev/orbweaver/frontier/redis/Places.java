package dev.orbweaver.frontier.redis;

import static dev.orbweaver.frontier.redis.RedisLink.bytes;
import static dev.orbweaver.frontier.redis.RedisLink.list;
import static dev.orbweaver.frontier.redis.RedisLink.string;

import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.FrontierBlockedException;
import dev.orbweaver.frontier.IntakeLimits;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.url.RegistrableDomain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/**
 * The limits on a job's hosts and on its URLs of a registrable domain, which no single shard can
 * see. The places are counted in one key of the job and taken before the URL is offered. A worker
 * that dies in between leaves a place taken for nothing, so a limit may be kept a little too
 * strictly, never too loosely.
 */
final class Places {

    private static final String HOSTS = "hosts";

    private final RedisLink link;
    private final Shards shards;
    private final FleetSettings settings;

    Places(RedisLink link, Shards shards, FleetSettings settings) {
        this.link = link;
        this.shards = shards;
        this.settings = settings;
    }

    static boolean limits(IntakeLimits limits) {
        return limits.hosts() < Integer.MAX_VALUE || limits.urlsPerDomain() < Long.MAX_VALUE;
    }

    /** Counts what a job has already, unless somebody has done so before. */
    void open(int job) throws IOException {
        var key = key(job);
        if (link.ask(redis -> redis.exists(key)) > 0) {
            return;
        }
        var counts = new HashMap<String, Long>();
        counts.put(HOSTS, 0L);
        for (var shard : shards.all()) {
            var accepted = acceptedKey(shard, job);
            for (var each : link.ask(redis -> redis.hgetall(accepted)).entrySet()) {
                counts.merge(HOSTS, 1L, Long::sum);
                counts.merge(
                        "d." + RegistrableDomain.of(string(each.getKey())),
                        Long.parseLong(string(each.getValue())),
                        Long::sum);
            }
        }
        for (var each : counts.entrySet()) {
            var _ =
                    link.ask(
                            redis -> redis.hset(key, bytes(each.getKey()), bytes(each.getValue())));
        }
    }

    static byte[] acceptedKey(Shards.Shard shard, int job) {
        return bytes(string(shard.key) + ":jh:" + job);
    }

    byte[] key(int job) {
        return bytes("ow:{" + settings.fleet() + ".job" + job + "}:places");
    }

    /** Those for which there is a place; the others are counted as turned away. */
    List<Candidate> admit(
            int job, List<Candidate> candidates, IntakeLimits limits, Offers offers, long now) {
        try {
            var admitted = new ArrayList<Candidate>();
            var newHosts = new HashSet<String>();
            for (var candidate : candidates) {
                var state = look(job, candidate, now);
                var host = candidate.url().host();
                var domain = "d." + RegistrableDomain.of(host);
                if (state == '0') {
                    admitted.add(candidate); // A duplicate, and to be counted as one.
                } else if (state == 'H'
                        && newHosts.add(host)
                        && !reserve(job, HOSTS, limits.hosts())) {
                    newHosts.remove(host);
                    offers.count(job, "r." + Refusal.HOSTS_LIMIT.word(), 1);
                } else if (!reserve(job, domain, limits.urlsPerDomain())) {
                    offers.count(job, "r." + Refusal.DOMAIN_LIMIT.word(), 1);
                } else {
                    admitted.add(candidate);
                }
            }
            return admitted;
        } catch (IOException e) {
            throw new FrontierBlockedException(e);
        }
    }

    private char look(int job, Candidate candidate, long now) {
        var url = candidate.url();
        var question = Letters.question(shards, job, url);
        var answer = list(shards.ask(List.of(question), now).getFirst());
        if (!string(answer.getFirst()).equals("never")) {
            return '0';
        }
        return string(answer.get(1)).equals("1") ? 'N' : 'H';
    }

    private boolean reserve(int job, String name, long limit) throws IOException {
        var call =
                new RedisLink.Call(
                        Script.RESERVE,
                        string(key(job)),
                        List.of(bytes(name), bytes(1), bytes(limit)));
        return string(link.one(call)).equals("1");
    }
}
