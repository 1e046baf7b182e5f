package dev.orbweaver.internal.frontier;

/**
 * Captures whose links a job has not taken in yet.
 *
 * @param captures how many there are
 * @param lastOfferedCapture the last capture whose deferred links were taken in; those left came
 *     after it
 */
public record DeferredLinks(long captures, long lastOfferedCapture) {

    /** None at all. */
    public static final DeferredLinks NONE = new DeferredLinks(0, 0);
}
