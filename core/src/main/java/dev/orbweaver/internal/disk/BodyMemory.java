package dev.orbweaver.internal.disk;

import dev.orbweaver.model.Body;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Limits the memory of all bodies together that are larger than {@link SpillBuffer#MEMORY_MAX}.
 *
 * <p>Without it every such body is written to a temporary file by the event loop that receives it,
 * which delays the responses of all its connections. A {@link SpillBuffer} reserves memory as bytes
 * arrive, not as they are announced. Beyond the limit it continues in a file. A finished body keeps
 * its memory until {@link #release(Body)}.
 */
public final class BodyMemory {

    /** Maximum bytes of one body in memory. */
    public static final int PER_BODY_MAX = 4 << 20;

    /** Maximum bytes of all these bodies of a process; a sixteenth of the heap if that is less. */
    public static final long TOTAL_MAX = 64L << 20;

    /** Never has memory: every large body goes to a file. */
    public static final BodyMemory NONE = new BodyMemory(0);

    private static final BodyMemory SHARED =
            new BodyMemory(Math.min(TOTAL_MAX, Runtime.getRuntime().maxMemory() / 16));

    private final long bytesMax;
    private final Set<byte[]> finished = Collections.newSetFromMap(new IdentityHashMap<>());
    private long reserved;

    public BodyMemory(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns the memory that all crawls of this process share. */
    public static BodyMemory shared() {
        return SHARED;
    }

    synchronized boolean tryReserve(long bytes) {
        if (reserved + bytes > bytesMax) {
            return false;
        }
        reserved += bytes;
        return true;
    }

    synchronized void release(long bytes) {
        reserved -= bytes;
    }

    /** Keeps the reservation of a finished body. */
    synchronized void keep(byte[] body) {
        finished.add(body);
    }

    /** Releases the memory of a body; without effect if it has none here, and when repeated. */
    public void release(Body body) {
        if (body instanceof Body.InMemory(var bytes, _) && bytes.length > SpillBuffer.MEMORY_MAX) {
            releaseFinished(bytes);
        }
    }

    private synchronized void releaseFinished(byte[] bytes) {
        if (finished.remove(bytes)) {
            reserved -= bytes.length;
        }
    }

    /** Returns the bytes that are reserved. */
    public synchronized long reserved() {
        return reserved;
    }
}
