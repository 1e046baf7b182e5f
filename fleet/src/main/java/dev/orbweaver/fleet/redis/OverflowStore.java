package dev.orbweaver.fleet.redis;

import java.nio.file.Path;

/** Where the URLs of long queues are stored. */
public sealed interface OverflowStore {

    /** Returns the maximum memory of Redis; 0 for its own setting. */
    long redisBytes();

    record InRedis() implements OverflowStore {

        @Override
        public long redisBytes() {
            return 0;
        }
    }

    /**
     * Stores URLs in files, once Redis would exceed its memory limit.
     *
     * @param directory which all workers of the fleet share
     * @param redisBytes the maximum memory of Redis, at most its own setting; 0 for that setting
     */
    record InFiles(Path directory, long redisBytes) implements OverflowStore {

        public InFiles {
            if (redisBytes < 0) {
                throw new IllegalArgumentException("the memory limit of Redis cannot be negative");
            }
        }
    }
}
