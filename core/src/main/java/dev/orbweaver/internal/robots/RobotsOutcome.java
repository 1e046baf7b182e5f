package dev.orbweaver.internal.robots;

import java.util.Optional;

/** What follows from one finished attempt to get robots.txt (RFC 9309 section 2.3.1). */
public sealed interface RobotsOutcome {

    /** How many redirects in a row are followed (section 2.3.1.2). */
    int REDIRECTS_MAX = 5;

    record Rules(RobotsRules rules) implements RobotsOutcome {}

    /**
     * Request the location next. The rules still belong to the authority first asked.
     *
     * @param location the header's value, not yet resolved
     */
    record Redirect(String location) implements RobotsOutcome {}

    /** Nothing may be fetched for now. */
    record Unreachable(String reason) implements RobotsOutcome {}

    /**
     * From a response. A 429 is a 4xx, which the standard reads as "no rules"; but a host that asks
     * for fewer requests must not be taken to allow all. What fits no class, such as a redirect to
     * nowhere, counts as unreachable: a failure is never permission.
     *
     * @param hopsSoFar the redirects already followed before this response
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
            // More hops than that may be taken for a file that does not exist (section 2.3.1.2).
            return hopsSoFar < REDIRECTS_MAX
                    ? new Redirect(location.get().strip())
                    : new Rules(RobotsRules.ALLOW_ALL);
        }
        if (status >= 400 && status < 500 && status != 429) {
            return new Rules(RobotsRules.ALLOW_ALL);
        }
        return new Unreachable("robots.txt answered " + status);
    }

    /** A response whose content coding cannot be undone is as unreachable as none. */
    static RobotsOutcome ofUndecodable(String coding) {
        return new Unreachable("robots.txt cannot be decoded, Content-Encoding: " + coding);
    }

    /** From a failure of the network or the name server. */
    static RobotsOutcome ofFailure(String why) {
        return new Unreachable(why);
    }

    private static boolean isRedirect(int status) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> true;
            default -> false;
        };
    }
}
