package dev.orbweaver.frontier;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The disk did not take what a call decided. The call has been made all the same: its effect is in
 * memory and goes to the disk as soon as that works again, before anything else does. Until then
 * the frontier takes nothing in and hands nothing out. Whoever caught this asks {@link
 * Frontier#recover} now and then, and must not make the call again.
 */
public final class FrontierBlockedException extends UncheckedIOException {

    private static final long serialVersionUID = 1;

    /** With the disk's own words. */
    public FrontierBlockedException(IOException cause) {
        super("the frontier cannot be written: " + cause.getMessage(), cause);
    }
}
