package dev.orbweaver.fleet.redis;

import java.nio.file.Path;

/** Where the URLs of long queues wait. */
public sealed interface OverflowStore {

    /** How much memory Redis is to use in all; 0 for as much as it is set up for. */
    long redisBytes();

    /** In Redis, all of them. */
    record InRedis() implements OverflowStore {

        @Override
        public long redisBytes() {
            return 0;
        }
    }

    /**
     * In files, as soon as Redis would hold more than it is to.
     *
     * @param directory which all workers of the fleet share
     * @param redisBytes how much memory Redis is to use in all, and no more than it is set up for;
     *     0 for that
     */
    record InFiles(Path directory, long redisBytes) implements OverflowStore {

        /** Rejects less than nothing. */
        public InFiles {
            if (redisBytes < 0) {
                throw new IllegalArgumentException("Redis cannot use less than no memory");
            }
        }
    }
}
