package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.VisitResult;
import dev.orbweaver.internal.revisit.Observation;
import dev.orbweaver.internal.revisit.SharedPages;
import dev.orbweaver.model.Capture.Kind;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a fleet stores of a page that was visited: the second of the last response and the rest of
 * the policy's state, a hash of the payload, and the hash of its text. Two visits are compared by
 * these, because the worker that makes the second may not have the capture of the first.
 */
final class KnownPage {

    /** The bytes of the state. */
    static final int BYTES = SharedPages.STATE_BYTES + 2 * Long.BYTES;

    private static final int DIGEST_AT = SharedPages.STATE_BYTES;

    private KnownPage() {}

    /** Returns what the policy has stored. */
    static byte[] policy(byte[] state) {
        return bigEndianVisited(Arrays.copyOf(state, SharedPages.STATE_BYTES));
    }

    /** Scripts read the second of the last visit, in the order of bytes that they unpack. */
    private static byte[] bigEndianVisited(byte[] policy) {
        for (var i = 0; i < Integer.BYTES / 2; i++) {
            var other = Integer.BYTES - 1 - i;
            var each = policy[i];
            policy[i] = policy[other];
            policy[other] = each;
        }
        return policy;
    }

    static byte[] of(byte[] policy, VisitResult result) {
        return of(policy, result.digest(), result.simHash());
    }

    /** Returns a state with another part of the policy, and the content as before. */
    static byte[] of(byte[] policy, byte[] before) {
        var in = ByteBuffer.wrap(before).position(DIGEST_AT);
        return of(policy, in.getLong(), in.getLong());
    }

    private static byte[] of(byte[] policy, long digest, long simHash) {
        return ByteBuffer.allocate(BYTES)
                .put(bigEndianVisited(policy.clone()))
                .putLong(digest)
                .putLong(simHash)
                .array();
    }

    /**
     * Returns what a visit found, compared with the visit before.
     *
     * @param missing whether the visit before did not find the page
     */
    static Observation.Result compare(byte[] before, boolean missing, VisitResult result) {
        if (result.isNotFound()) {
            return Observation.Result.GONE;
        }
        if (result.kind() == Kind.ERROR) {
            return Observation.Result.NO_RESPONSE;
        }
        if (missing) {
            return Observation.Result.CHANGED;
        }
        var in = ByteBuffer.wrap(before).position(DIGEST_AT);
        var digest = in.getLong();
        var simHash = in.getLong();
        if (result.isNotModified() || (result.digest() == digest && digest != 0)) {
            return Observation.Result.UNCHANGED;
        }
        return result.kind() == Kind.PAGE && result.simHash() == simHash && simHash != 0
                ? Observation.Result.BOILERPLATE
                : Observation.Result.CHANGED;
    }
}
