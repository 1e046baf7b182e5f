package dev.orbweaver.internal.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The state of one URL and its reasons.
 *
 * @param steps from what was asked to the normal form
 * @param parent where it was first found; nothing for a seed and for one that never was found
 * @param depth links from a seed, -1 when it is not known
 * @param scope the rule of the scope that decides now
 * @param inScope whether that rule accepts it; another rule may have refused it
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

    public UrlExplanation {
        steps = List.copyOf(steps);
        attempts = List.copyOf(attempts);
    }

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
     */
    public record Parent(String url, long seq, String linkType, String anchor) {}

    /**
     * What robots.txt says of it, by the copy that the crawl uses.
     *
     * @param statusText what came of requesting it
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

        /** Where only other workers know what they have requested. */
        public Robots onOtherWorkers() {
            return unread()
                    ? new Robots(file, UNKNOWN_LOCALLY, fetchedAt, allowed, line, text)
                    : this;
        }

        /** Whether it was not requested, as far as is known. */
        boolean unread() {
            return statusText.equals(UNFETCHED) || statusText.equals(UNKNOWN_LOCALLY);
        }
    }

    /**
     * Its place in the queue of its host.
     *
     * @param notBefore when it could be its turn, were it the first
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
