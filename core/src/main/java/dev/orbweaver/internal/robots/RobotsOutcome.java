package dev.orbweaver.internal.robots;

import java.util.Optional;

/** The result of one completed attempt to fetch robots.txt (RFC 9309 section 2.3.1). */
public sealed interface RobotsOutcome {

    /** Maximum number of consecutive redirects (section 2.3.1.2). */
    int REDIRECTS_MAX = 5;

    record Rules(RobotsRules rules) implements RobotsOutcome {}

    /**
     * The location must be requested next. The rules still apply to the authority that was
     * requested first.
     *
     * @param location the value of the header field, not resolved
     */
    record Redirect(String location) implements RobotsOutcome {}

    /** Nothing of the origin may be fetched for now. */
    record Unreachable(String reason) implements RobotsOutcome {}

    /**
     * Evaluates a response. RFC 9309 treats 4xx as "no rules", but a 429 asks for fewer requests
     * and must not count as permission. A status that fits no class, such as a redirect without a
     * target, counts as unreachable: a failure is never permission.
     *
     * @param hopsSoFar the redirects followed before this response
     */
    static RobotsOutcome ofStatus(
            int status,
            byte[] body,
            int length,
            String token,
            int hopsSoFar,
            Optional<String> location) {
        if (status >= 200 && status < 300) {
            return new Rules(RobotsRules.parse(body, length, token));
        }
        if (isRedirect(status) && location.isPresent()) {
            // After too many redirects the file may be treated as nonexistent (section 2.3.1.2).
            return hopsSoFar < REDIRECTS_MAX
                    ? new Redirect(location.get().strip())
                    : new Rules(RobotsRules.ALLOW_ALL);
        }
        if (status >= 400 && status < 500 && status != 429) {
            return new Rules(RobotsRules.ALLOW_ALL);
        }
        return new Unreachable("robots.txt: status " + status);
    }

    /** Treats a response whose content encoding cannot be decoded as unreachable. */
    static RobotsOutcome ofUndecodable(String coding) {
        return new Unreachable("could not decode robots.txt, Content-Encoding: " + coding);
    }

    /** Treats a failure of the network or of DNS as unreachable. */
    static RobotsOutcome ofFailure(String reason) {
        return new Unreachable(reason);
    }

    private static boolean isRedirect(int status) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> true;
            default -> false;
        };
    }
}
