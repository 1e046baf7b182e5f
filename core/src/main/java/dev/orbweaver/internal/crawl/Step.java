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

/** What a {@link Visit} wants done next. Whoever carries it out tells the visit what came of it. */
sealed interface Step {

    /** Find the address of a URL's host. */
    record Resolve(CrawlUrl url) implements Step {}

    /** Take the gates for a request. */
    record PassGates(CrawlUrl url, InetAddress address) implements Step {}

    /** Make the request. */
    record Fetch(CrawlUrl url, InetAddress address) implements Step {}

    /** Read a robots.txt's content. */
    record ReadRobots(Exchange exchange) implements Step {}

    /** Read a document's links. */
    record Parse(Exchange exchange) implements Step {}

    /** The visit is over. */
    sealed interface End extends Step {

        /** The lease it ends. */
        Lease lease();

        /** What to record. */
        Optional<Capture> capture();
    }

    /** The URL has come to something. */
    record Settle(Settlement settlement, Optional<Capture> capture) implements End {
        @Override
        public Lease lease() {
            return settlement.lease();
        }
    }

    /**
     * The URL goes back into its queue.
     *
     * @param delay what the host's robots.txt asks for as a delay, if it was read just now
     * @param found sitemaps that robots.txt named
     */
    record Release(
            Lease lease,
            ReleaseReason reason,
            Optional<Duration> delay,
            List<Candidate> found,
            Optional<Capture> capture)
            implements End {}
}
