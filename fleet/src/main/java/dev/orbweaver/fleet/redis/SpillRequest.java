package dev.orbweaver.fleet.redis;

import dev.orbweaver.fleet.redis.ScriptConstants.LoadTarget;

import java.util.List;

/** A call of a script that moves queued URLs between a shard and files. */
sealed interface SpillRequest<R> extends ShardRequest<R> {

    /** Lists queues of a job whose last elements are URLs, page by page. */
    record ListTails(int shard, int job, String cursor) implements SpillRequest<Tails> {

        /** The cursor of the first page, and the one after the last page. */
        static final String START = "0";
    }

    record Tails(String cursor, List<Tail> tails) {}

    /** A queue whose last elements are URLs. */
    record Tail(int job, String host, int rank, int length) {}

    record Peek(int shard, int job, int max, List<Tail> queues)
            implements SpillRequest<List<List<byte[]>>> {}

    /**
     * Replaces URLs of queues with ranges of a file; the reply is for each whether it was done.
     *
     * @param maxAgeMillis maximum age of the file if nothing refers to it
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
     * @param urlsInRedis number of URLs of the range that were not in a file before
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

    /** Allows other workers to move URLs of the shard. */
    record EndFile(int shard) implements SpillRequest<Boolean> {}

    /**
     * Returns the files to which no range refers any more.
     *
     * @param files the existing files
     */
    record SweepFiles(int shard, long retentionMillis, List<String> files)
            implements SpillRequest<List<String>> {}

    /**
     * Replaces the start of a range with its URLs; the reply is no if the range no longer exists.
     *
     * @param part the URLs, and the rest of the range
     */
    record Load(
            int shard,
            LoadTarget target,
            String host,
            SpillLoader.LoadRequest what,
            OverflowFiles.SpilledPart part)
            implements SpillRequest<Boolean> {}
}
