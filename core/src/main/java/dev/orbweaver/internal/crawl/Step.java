package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The next action of a {@link Visit}. The worker executes it and passes the result to the visit.
 */
sealed interface Step {

    /** Resolve the address of a URL's host. */
    record Resolve(CrawlUrl url) implements Step {}

    /** Pass the rate limit gates for a request. */
    record PassGates(CrawlUrl url, InetAddress address) implements Step {}

    /** Send the request. */
    record Fetch(CrawlUrl url, InetAddress address) implements Step {}

    /** Decode a robots.txt. */
    record ReadRobots(Exchange exchange) implements Step {}

    /** Parse a document. */
    record Parse(Exchange exchange) implements Step {}

    /** The visit is over. */
    sealed interface End extends Step {

        /** Returns the lease that ends. */
        Lease lease();

        /** Returns what to record. */
        Optional<Capture> capture();
    }

    /** The URL has an outcome. */
    record Settle(Settlement settlement, Optional<Capture> capture) implements End {
        @Override
        public Lease lease() {
            return settlement.lease();
        }
    }

    /**
     * The URL returns to its queue.
     *
     * @param delay the crawl delay of the host's robots.txt, if it was fetched just now
     * @param found sitemaps listed in robots.txt
     */
    record Release(
            Lease lease,
            ReleaseReason reason,
            Optional<Duration> delay,
            List<Candidate> found,
            Optional<Capture> capture)
            implements End {}
}
