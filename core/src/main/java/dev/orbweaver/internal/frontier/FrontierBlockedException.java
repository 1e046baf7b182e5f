package dev.orbweaver.internal.frontier;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The disk did not take what a call decided. The call has been made all the same: its effect is in
 * memory, and goes to the disk together with all that waits before it as soon as that works again.
 * Until then the frontier hands nothing out, and every further call that changes something ends in
 * this exception too. Whoever caught it asks {@link Frontier#flushPending} now and then before
 * doing anything else, and must not make the call again.
 */
public final class FrontierBlockedException extends UncheckedIOException {

    private static final long serialVersionUID = 1;

    /** With the disk's own words. */
    public FrontierBlockedException(IOException cause) {
        super("the frontier cannot be written: " + cause.getMessage(), cause);
    }

    /** What the disk, or whoever has the frontier, said of it. */
    public String reason() {
        var cause = getCause();
        return String.valueOf(cause == null ? getMessage() : cause.getMessage());
    }
}
