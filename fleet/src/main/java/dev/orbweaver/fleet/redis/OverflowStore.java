package dev.orbweaver.fleet.redis;

import java.nio.file.Path;

/** Where the URLs of long queues are stored. */
public sealed interface OverflowStore {

    /** The most memory that Redis may use in all; 0 for its own setting. */
    long redisBytes();

    record InRedis() implements OverflowStore {

        @Override
        public long redisBytes() {
            return 0;
        }
    }

    /**
     * In files, once Redis would use more memory than it may.
     *
     * @param directory which all workers of the fleet share
     * @param redisBytes the most memory that Redis may use in all, at most its own setting; 0 for
     *     that
     */
    record InFiles(Path directory, long redisBytes) implements OverflowStore {

        public InFiles {
            if (redisBytes < 0) {
                throw new IllegalArgumentException("Redis cannot use less than no memory");
            }
        }
    }
}
