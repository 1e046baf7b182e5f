package dev.orbweaver.internal.frontier;

/**
 * Why the frontier's storage cannot be read or written.
 *
 * @param unreachable whether the storage does not respond at all; the crawl then waits without a
 *     limit. A full disk or a full Redis responds with an error.
 */
public record StorageProblem(Storage storage, String message, boolean unreachable) {

    public enum Storage {
        DISK,
        REDIS;

        @Override
        public String toString() {
            return this == DISK ? "disk" : "redis";
        }
    }

    public static StorageProblem ofDisk(Exception cause) {
        return new StorageProblem(Storage.DISK, String.valueOf(cause.getMessage()), false);
    }

    @Override
    public String toString() {
        return "frontier storage unavailable (%s): %s".formatted(storage, message);
    }
}
