package dev.orbweaver.e2e;

import java.time.Duration;
import java.util.Optional;

/**
 * Something that befalls a crawler's process during one of its lives. What a fleet or a service can
 * suffer besides becomes another of these.
 */
sealed interface Fault {

    /** SIGKILL, between any two instructions. */
    record Kill() implements Fault {}

    /** SIGSTOP, and SIGCONT after so long. */
    record Stop(Duration length) implements Fault {}

    /** A disk with room for so many bytes more; what follows until the next life fails. */
    record FullDisk(long roomBytes) implements Fault {}

    /** One operation on the disk that fails, counted from the opening. */
    record IoError(long operation) implements Fault {}

    /** A disk that takes up to so long over every fourth write. */
    record SlowDisk(int pauseMillisMax) implements Fault {}

    /** A clock on the wall that was set by so much between two lives. */
    record ClockStep(Duration by) implements Fault {}

    /** A clock on the wall that is set forth and back by so much while the process runs. */
    record ClockSwing(Duration by) implements Fault {}

    /**
     * What {@link dev.orbweaver.internal.engine.FaultInjectedCrawl} is told of it; signals come
     * from outside.
     */
    default Optional<String> argument() {
        return switch (this) {
            case Kill _, Stop _ -> Optional.empty();
            case FullDisk(var room) -> Optional.of("room=" + room);
            case IoError(var operation) -> Optional.of("error-at=" + operation);
            case SlowDisk(var millis) -> Optional.of("pauses=" + millis);
            case ClockStep(var by) -> Optional.of("clock=" + by.toSeconds());
            case ClockSwing(var by) -> Optional.of("clock-swing=" + by.toSeconds());
        };
    }

    /** Under which name it is counted. */
    default String counter() {
        return switch (this) {
            case Kill _ -> "kills";
            case Stop _ -> "stops";
            case FullDisk _ -> "fullDisks";
            case IoError _ -> "ioErrors";
            case SlowDisk _ -> "slowDisks";
            case ClockStep _ -> "clockSteps";
            case ClockSwing _ -> "clockSwings";
        };
    }

    /** Whether it makes the disk fail, so that a crawl may end with it. */
    default boolean failsTheDisk() {
        return this instanceof FullDisk || this instanceof IoError;
    }
}
