package dev.orbweaver.internal.explain;

import dev.orbweaver.internal.frontier.ForeignSetting;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The state of one URL and its reasons.
 *
 * @param steps normalization steps from the requested text to the normal form
 * @param parent where it was first found; empty for a seed and for a URL that was never found
 * @param depth links from a seed, -1 if unknown
 * @param scope the scope rule that decides now
 * @param inScope whether that rule accepts it; another rule may have rejected it
 * @param queue its position, if it is queued
 * @param foreignSettings stricter settings of other jobs that delay it, if it is queued
 * @param attempts the recorded attempts, oldest first
 * @param nextVisit when the page is visited again, if the crawl does so
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
        List<ForeignSetting> foreignSettings,
        List<Attempt> attempts,
        Optional<NextVisit> nextVisit) {

    public UrlExplanation {
        foreignSettings = List.copyOf(foreignSettings);
        steps = List.copyOf(steps);
        attempts = List.copyOf(attempts);
    }

    public UrlExplanation withNextVisit(NextVisit next) {
        return new UrlExplanation(
                url,
                normalForm,
                steps,
                state,
                reason,
                parent,
                depth,
                scope,
                inScope,
                robots,
                queue,
                foreignSettings,
                attempts,
                Optional.of(next));
    }

    public enum State {
        /** Not a seed, and no stored page, redirect or sitemap links to it. */
        NEVER_FOUND,
        /** Found and rejected. */
        REFUSED,
        /** Found on a page whose links are deferred until the queue has room. */
        DEFERRED,
        /** Waiting in the queue of its host. */
        QUEUED,
        /** Being requested. */
        LEASED,
        /** It has a final response. */
        DONE,
        /** Accepted, then not requested or not stored. */
        WITHDRAWN,
        /** Failed after the last attempt. */
        DEAD;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        /** Returns whether the URL was fetched or will be. */
        boolean isOpenOrDone() {
            return switch (this) {
                case DONE, QUEUED, LEASED, DEFERRED -> true;
                case NEVER_FOUND, REFUSED, WITHDRAWN, DEAD -> false;
            };
        }
    }

    /**
     * The next visit of a page.
     *
     * @param due when; empty if there is none
     * @param reason why then
     */
    public record NextVisit(Optional<Instant> due, String reason) {}

    /**
     * Where a URL was first found.
     *
     * @param seq the line of the page log
     * @param linkType the kind of link: anchor, redirect, entry of a sitemap, ...
     */
    public record Parent(String url, long seq, String linkType, String anchor) {}

    /**
     * The verdict of robots.txt, by the copy that the crawl uses.
     *
     * @param statusText the result of the last request for it
     * @param line the matching line, 0 if none matches
     * @param text the text of that line, as written
     */
    public record Robots(
            String file,
            String statusText,
            Optional<Instant> fetchedAt,
            boolean allowed,
            int line,
            String text) {

        private static final String UNFETCHED = "not fetched yet";
        private static final String UNKNOWN_LOCALLY = "unknown without the workers' directories";

        /**
         * Returns the verdict of a file that was not fetched yet, which allows everything so far.
         */
        static Robots unfetched(String file) {
            return new Robots(file, UNFETCHED, Optional.empty(), true, 0, "");
        }

        /** Returns the verdict for output where only other workers know what they have fetched. */
        public Robots onOtherWorkers() {
            return unread()
                    ? new Robots(file, UNKNOWN_LOCALLY, fetchedAt, allowed, line, text)
                    : this;
        }

        /** Returns whether the file was not fetched, as far as is known. */
        boolean unread() {
            return statusText.equals(UNFETCHED) || statusText.equals(UNKNOWN_LOCALLY);
        }
    }

    /**
     * The position of a URL in the queue of its host.
     *
     * @param priority from 0 to 100, which is first
     * @param notBefore the earliest fetch time if the URL were first
     * @param expectedFetchTime the fetch time if every request ahead of it is on time
     * @param attempts number of failed attempts
     */
    public record Queue(
            int priority,
            long ahead,
            Instant notBefore,
            long delayMs,
            Instant expectedFetchTime,
            int attempts) {

        static Queue of(int priority, long ahead, Instant notBefore, Duration delay, int attempts) {
            return new Queue(
                    priority,
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
