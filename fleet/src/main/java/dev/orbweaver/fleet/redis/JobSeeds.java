package dev.orbweaver.fleet.redis;

import static dev.orbweaver.fleet.redis.RedisConnection.bytes;

import dev.orbweaver.internal.frontier.AcceptedUrl;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitStatus;
import dev.orbweaver.internal.frontier.QueuedUrl;
import dev.orbweaver.internal.frontier.SeedBatch;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;

import io.lettuce.core.ZAddArgs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stores the seeds of jobs for all workers. They are stored before they are offered: a worker that
 * gets a URL within a seed's scope must find that seed, even if this worker dies in between.
 */
final class JobSeeds {

    private static final int HOSTS_AT_ONCE = 10_000;

    private final RedisConnection connection;
    private final String fleet;

    private final Map<Integer, List<byte[]>> unsaved = new LinkedHashMap<>();

    /** The hosts of seed lists by job, with the number of their first line. */
    private final Map<Integer, Map<String, Long>> unsavedHosts = new LinkedHashMap<>();

    JobSeeds(RedisConnection link, FleetSettings settings) {
        this.connection = link;
        this.fleet = settings.fleet();
    }

    /** Collects the seeds among URLs that are to be offered. */
    void collect(int job, List<Candidate> candidates) {
        for (var candidate : candidates) {
            if (candidate.hop().isSeed()) {
                unsaved.computeIfAbsent(job, _ -> new ArrayList<>())
                        .add(record(job, candidate.url()));
            }
        }
    }

    /** Collects the hosts of a batch of a seed list. Of these seeds, only the hosts are stored. */
    void collectHosts(int job, SeedBatch batch) {
        var hosts = unsavedHosts.computeIfAbsent(job, _ -> new LinkedHashMap<>());
        var number = SeedLists.number(batch.from());
        for (var candidate : batch.candidates()) {
            hosts.putIfAbsent(candidate.url().host(), number++);
        }
    }

    private static byte[] record(int job, CrawlUrl url) {
        var facts = new AcceptedUrl(job, url, Hop.SEED, 0, 0, CaptureRef.NONE, 0, 0);
        return RedisRecordCodec.write(new QueuedUrl(facts, false, 0, 0, 0));
    }

    /** Stores the collected seeds; after a failure they are stored at the next call. */
    CommitStatus flush() {
        for (var jobs = unsaved.entrySet().iterator(); jobs.hasNext(); ) {
            var some = jobs.next();
            var records = some.getValue().toArray(byte[][]::new);
            try {
                var _ = connection.execute(redis -> redis.rpush(key(some.getKey()), records));
            } catch (IOException e) {
                return new CommitStatus.Pending(RedisUnavailableException.ofFrontier(e).problem());
            }
            jobs.remove();
        }
        return flushHosts();
    }

    private CommitStatus flushHosts() {
        for (var jobs = unsavedHosts.entrySet().iterator(); jobs.hasNext(); ) {
            var some = jobs.next();
            var hosts = new ArrayList<Object>(); // Each after its score.
            some.getValue()
                    .forEach(
                            (host, at) -> {
                                hosts.add((double) at);
                                hosts.add(bytes(host));
                            });
            try {
                if (!hosts.isEmpty()) {
                    var _ =
                            connection.execute(
                                    redis ->
                                            redis.zadd(
                                                    hostsKey(some.getKey()),
                                                    ZAddArgs.Builder.nx(),
                                                    hosts.toArray()));
                }
            } catch (IOException e) {
                return new CommitStatus.Pending(RedisUnavailableException.ofFrontier(e).problem());
            }
            jobs.remove();
        }
        return CommitStatus.durable();
    }

    /**
     * Returns some hosts of the seed lists of a job, in the order of their first lines.
     *
     * @param from the number of hosts that are skipped
     */
    List<String> hosts(JobId job, long from) {
        try {
            return connection
                    .execute(
                            redis ->
                                    redis.zrange(
                                            hostsKey(job.number()), from, from + HOSTS_AT_ONCE - 1))
                    .stream()
                    .map(RedisConnection::string)
                    .toList();
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    /** Returns those of some hosts that seed lists of a job have. */
    List<String> knownHosts(JobId job, Collection<String> hosts) {
        var known = new ArrayList<String>();
        var left = List.copyOf(hosts);
        try {
            for (var from = 0; from < left.size(); from += HOSTS_AT_ONCE) {
                var some = left.subList(from, Math.min(from + HOSTS_AT_ONCE, left.size()));
                var names = some.stream().map(RedisConnection::bytes).toArray(byte[][]::new);
                var numbers =
                        connection.execute(redis -> redis.zmscore(hostsKey(job.number()), names));
                for (var i = 0; i < some.size(); i++) {
                    if (numbers.get(i) != null) {
                        known.add(some.get(i));
                    }
                }
            }
            return known;
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    /** Returns the seeds of a job, each once, although several workers may have stored it. */
    List<CrawlUrl> of(JobId job) {
        return from(job, 0).stream().distinct().toList();
    }

    /** Returns the seeds of a job from a position on, some of them perhaps twice. */
    List<CrawlUrl> from(JobId job, int position) {
        try {
            return connection
                    .execute(redis -> redis.lrange(key(job.number()), position, -1))
                    .stream()
                    .map(record -> RedisRecordCodec.read(job.number(), record).url().url())
                    .toList();
        } catch (IOException e) {
            throw RedisUnavailableException.ofFrontier(e);
        }
    }

    byte[] key(int job) {
        return bytes("ow:{" + fleet + "}:seeds:" + job);
    }

    /** Returns the key of a sorted set, because a reader continues after the hosts it knows. */
    byte[] hostsKey(int job) {
        return bytes("ow:{" + fleet + ".job" + job + "}:seed-hosts");
    }
}
