package dev.orbweaver.internal.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * All there is to tell of one URL.
 *
 * @param url as it would be requested
 * @param normalForm the spelling under which equal URLs are one
 * @param steps how one came from what was asked to the normal form
 * @param reason why it is in that state
 * @param parent where it was first found; nothing for a seed and for one that never was found
 * @param depth links from a seed, -1 when it is not known
 * @param scope the rule of the scope that decides, as it decides now
 * @param inScope whether that rule takes it; what turned it away may be something else
 * @param queue its place, if it waits
 * @param attempts what was recorded of it, the oldest first
 */
public record UrlExplanation(
        String url,
        String normalForm,
        List<String> steps,
        State state,
        String reason,
        Optional<Parent> parent,
        int depth,
        String scope,
        boolean inScope,
        Robots robots,
        Optional<Queue> queue,
        List<Attempt> attempts) {

    /** Keeps the parts unchangeable. */
    public UrlExplanation {
        steps = List.copyOf(steps);
        attempts = List.copyOf(attempts);
    }

    /** Where a URL can be. */
    public enum State {
        /** No seed, and no stored page, redirect or sitemap points at it. */
        NEVER_FOUND,
        /** Found and turned away. */
        REFUSED,
        /** Found, but the links of its page wait for room. */
        DEFERRED,
        /** Waiting for its turn. */
        QUEUED,
        /** Being requested. */
        LEASED,
        /** It has a final answer. */
        DONE,
        /** Accepted, then not asked for or not kept. */
        WITHDRAWN,
        /** Given up. */
        DEAD;

        /** The name in lower case, in words. */
        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        /** Whether the URL was fetched or will be. */
        boolean isOpenOrDone() {
            return switch (this) {
                case DONE, QUEUED, LEASED, DEFERRED -> true;
                case NEVER_FOUND, REFUSED, WITHDRAWN, DEAD -> false;
            };
        }
    }

    /**
     * Where a URL was first found.
     *
     * @param seq the line of the page log
     * @param linkType as a link, a redirect, an entry of a sitemap, ...
     * @param anchor the link's text
     */
    public record Parent(String url, long seq, String linkType, String anchor) {}

    /**
     * What robots.txt says of it, by the copy that the crawl goes by.
     *
     * @param file where the rules come from
     * @param statusText what came of asking for it
     * @param fetchedAt when the rules were read
     * @param line the deciding line, 0 when none decides
     * @param text of that line, as it was written
     */
    public record Robots(
            String file,
            String statusText,
            Optional<Instant> fetchedAt,
            boolean allowed,
            int line,
            String text) {

        private static final String UNFETCHED = "not asked for yet";
        private static final String UNKNOWN_LOCALLY = "not known without the workers' folders";

        /** Of a file that nobody has asked for: nothing is forbidden so far. */
        static Robots unfetched(String file) {
            return new Robots(file, UNFETCHED, Optional.empty(), true, 0, "");
        }

        /** The same where only others could say what they have asked for. */
        public Robots onOtherWorkers() {
            return unread()
                    ? new Robots(file, UNKNOWN_LOCALLY, fetchedAt, allowed, line, text)
                    : this;
        }

        /** Whether nobody has asked for it, as far as is known. */
        boolean unread() {
            return statusText.equals(UNFETCHED) || statusText.equals(UNKNOWN_LOCALLY);
        }
    }

    /**
     * Its place in the queue of its host.
     *
     * @param ahead how many are before it
     * @param notBefore when it could be its turn, were it the first
     * @param delayMs between two requests to the host
     * @param expectedFetchTime when its turn comes if every request before it is on time
     * @param attempts how many have failed
     */
    public record Queue(
            long ahead, Instant notBefore, long delayMs, Instant expectedFetchTime, int attempts) {

        static Queue of(long ahead, Instant notBefore, Duration delay, int attempts) {
            return new Queue(
                    ahead,
                    notBefore,
                    delay.toMillis(),
                    notBefore.plus(delay.multipliedBy(ahead)),
                    attempts);
        }
    }

    /** A line of the page log. */
    public record Attempt(
            long seq,
            Instant time,
            String outcome,
            int status,
            String cause,
            String detail,
            String directives,
            String warc,
            long offset) {}
}
