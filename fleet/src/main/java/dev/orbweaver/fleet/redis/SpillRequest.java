package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.LoadTarget;

import java.util.List;

/** A call of a script that moves queued URLs between a shard and files. */
sealed interface SpillRequest<R> extends ShardRequest<R> {

    /** Asks for queues of a job that end in URLs, page by page. */
    record ListTails(int shard, int job, String cursor) implements SpillRequest<Tails> {

        /** The cursor of the first page, and the one after the last page. */
        static final String START = "0";
    }

    record Tails(String cursor, List<Tail> tails) {}

    /** A queue that ends in URLs. */
    record Tail(int job, String host, int band, int length) {}

    record Peek(int shard, int job, int max, List<Tail> queues)
            implements SpillRequest<List<List<byte[]>>> {}

    /**
     * Replaces URLs of queues by ranges of a file; the reply says of each whether it was done.
     *
     * @param maxAgeMillis how old the file may be if nothing refers to it
     */
    record Swap(int shard, String file, long maxAgeMillis, int job, List<QueueSwap> swaps)
            implements SpillRequest<List<Boolean>> {}

    /**
     * The replacement in one queue, which is made if the queue still has these elements.
     *
     * @param from index of the first element
     * @param to index after the last element
     * @param ends the first and the last element
     * @param mergedFiles files of ranges that become part of the new one
     * @param urlsInRedis how many URLs of the range were not in a file before
     */
    record QueueSwap(
            Tail queue,
            int from,
            int to,
            List<byte[]> ends,
            SpilledRange range,
            List<String> mergedFiles,
            int urlsInRedis) {}

    /** Announces a new file; the reply is no if another worker moves URLs of the shard. */
    record BeginFile(int shard, long leaseMillis, String file) implements SpillRequest<Boolean> {}

    /** Lets other workers move URLs of the shard. */
    record EndFile(int shard) implements SpillRequest<Boolean> {}

    /**
     * Asks which files no range refers to any more.
     *
     * @param files those that exist
     */
    record SweepFiles(int shard, long retentionMillis, List<String> files)
            implements SpillRequest<List<String>> {}

    /**
     * Replaces the beginning of a range by its URLs; the reply is no if the range is gone.
     *
     * @param part the URLs, and what is left of the range
     */
    record Load(
            int shard,
            LoadTarget target,
            String host,
            SpillLoader.LoadRequest what,
            OverflowFiles.SpilledPart part)
            implements SpillRequest<Boolean> {}
}
