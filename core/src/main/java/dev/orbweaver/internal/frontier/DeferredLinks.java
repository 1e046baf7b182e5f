package dev.orbweaver.internal.frontier;

/**
 * Captures whose links a job has not accepted yet.
 *
 * @param captures the number of captures
 * @param lastOfferedCapture the last capture whose deferred links were accepted; the remaining ones
 *     came after it
 */
public record DeferredLinks(long captures, long lastOfferedCapture) {

    public static final DeferredLinks NONE = new DeferredLinks(0, 0);
}
