package dev.orbweaver.internal.frontier;

/**
 * Captures whose links a job has not accepted yet.
 *
 * @param captures how many there are
 * @param lastOfferedCapture the last capture whose deferred links were accepted; those left came
 *     after it
 */
public record DeferredLinks(long captures, long lastOfferedCapture) {

    public static final DeferredLinks NONE = new DeferredLinks(0, 0);
}
