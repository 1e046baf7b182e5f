package dev.orbweaver.internal.crawl;

import dev.orbweaver.internal.crawl.TimeProfile.Phase;
import dev.orbweaver.internal.frontier.CrawlFrontier;
import dev.orbweaver.internal.frontier.FrontierFailedException;
import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.sink.PreparedCapture;
import dev.orbweaver.internal.sink.PreviousVisit;
import dev.orbweaver.internal.sink.Sink;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.Capture;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.FetchResult;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.Validators;
import dev.orbweaver.spi.Fetcher;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Executes the steps of one {@link Visit} until it ends. */
final class Worker implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private static final int NOT_MODIFIED = 304;

    /** Accepts a robots.txt of any media type, up to the maximum size of robots.txt rules. */
    private static final Fetcher.HeadFilter ROBOTS_FILTER =
            new Fetcher.HeadFilter() {
                @Override
                public Optional<String> refusalReason(ResponseHead head) {
                    return Optional.empty();
                }

                @Override
                public long bodyBytesMax() {
                    return RobotsRules.BYTES_MAX;
                }
            };

    /** Receives finished visits. */
    interface Listener {

        void finished(Committer.FinishedVisit finishedVisit);

        /** Called when the crawl must end because of an error. */
        void failed(Throwable error);

        /** Returns whether the crawl no longer waits for visits. */
        boolean isAbandoned();
    }

    /**
     * The components that the workers of a crawl share.
     *
     * @param retriesStorage whether the crawl waits while its storage fails
     * @param sockets pauses leasing while requests fail because no socket is available
     */
    record Resources(
            CrawlFrontier frontier,
            Fetcher fetcher,
            Sink sink,
            InstantSource clock,
            VisitContext visitContext,
            PageParser pageParser,
            LinkBudget linkBudget,
            TimeProfile timeProfile,
            StorageMonitor storage,
            StorageMonitor sockets,
            boolean retriesStorage,
            Listener listener) {}

    private final Resources crawl;
    private final ActiveVisit activeVisit;
    private final Lease lease;
    private final Optional<PreviousVisit> previous;
    private final Visit visit;
    private Body received = Body.EMPTY;
    private Optional<PreparedCapture> preparedCapture = Optional.empty();
    private int reserved;

    Worker(ActiveVisit activeVisit, Resources crawl) {
        this.crawl = crawl;
        this.activeVisit = activeVisit;
        this.lease = activeVisit.lease();
        this.previous = lease.revisit() ? previousVisit() : Optional.empty();
        this.visit = new Visit(lease, crawl.visitContext(), previous);
    }

    @Override
    public void run() {
        try {
            Step step = visit.begin(crawl.clock().instant());
            while (!(step instanceof Step.End)) {
                step = execute(step);
            }
            finish((Step.End) step);
        } catch (AbortedException e) {
            Committer.deleteFile(received);
            releaseLease();
        } catch (IOException e) {
            Committer.deleteFile(received);
            storageFailed(e);
        } catch (FrontierUnavailableException e) {
            LOG.warn("frontier unavailable, requeueing {}: {}", lease.url(), e.getMessage());
            Committer.deleteFile(received);
            requeueOrFail(new IOException(e.getMessage(), e));
        } catch (FrontierFailedException e) {
            Committer.deleteFile(received);
            crawl.listener().failed(e);
        } catch (Throwable e) {
            // An error of this visit must not affect other URLs.
            LOG.error("internal error while visiting {}", lease.url(), e);
            finishFailed(e);
        }
    }

    /** Returns the last visit; a URL whose last visit cannot be read is fetched as a new one. */
    private Optional<PreviousVisit> previousVisit() {
        try {
            return crawl.sink().previousVisit(lease.parent());
        } catch (IOException e) {
            LOG.warn("could not read the last visit of {}: {}", lease.url(), e.getMessage());
            return Optional.empty();
        }
    }

    private Step execute(Step step) throws IOException {
        return switch (step) {
            case Step.Resolve(var url) -> visit.resolved(resolve(url), crawl.clock().instant());
            case Step.PassGates passGates -> visit.passed(passGates, pass(passGates));
            case Step.Fetch(var url, var address) ->
                    visit.fetched(fetch(url, address), crawl.clock().instant());
            case Step.ReadRobots(var exchange) ->
                    crawl.pageParser().runWithBody(exchange, () -> readRobots(exchange));
            case Step.Parse(var exchange) -> parse(exchange);
            case Step.End end -> end;
        };
    }

    /** Resolves a host. A name server that does not respond stalls a visit like a host does. */
    private Fetcher.Resolution resolve(CrawlUrl url) {
        activeVisit.startWaiting(crawl.clock().instant());
        try {
            return crawl.fetcher().resolve(url);
        } finally {
            activeVisit.stopWaiting();
        }
    }

    private Step readRobots(Exchange exchange) throws IOException {
        var content = crawl.pageParser().readRobots(exchange);
        return prepare(visit.robotsRead(exchange, content));
    }

    private Step parse(Exchange exchange) throws IOException {
        var startNanos = System.nanoTime();
        var linkBytes = 0L;
        try {
            var step =
                    crawl.pageParser()
                            .parse(
                                    exchange,
                                    lease.hop(),
                                    () -> reserved = reserveLinks(exchange),
                                    page -> prepare(visit.parsed(exchange, page)));
            linkBytes = linkBytes(step);
            return step;
        } finally {
            activeVisit.holdReservation(
                    crawl.linkBudget(), crawl.linkBudget().shrinkTo(reserved, linkBytes));
            crawl.timeProfile().addNanos(Phase.PARSE, System.nanoTime() - startNanos);
        }
    }

    private int reserveLinks(Exchange exchange) throws AbortedException {
        var charsMax = crawl.pageParser().linkCharsMax(exchange, lease.hop());
        var units = crawl.linkBudget().tryReserve(charsMax);
        while (units < 0) {
            if (crawl.listener().isAbandoned()) {
                throw new AbortedException();
            }
            units = crawl.linkBudget().tryReserve(charsMax);
        }
        return units;
    }

    /** Returns the size of all links, followed or not: the capture holds both until the commit. */
    private static long linkBytes(Step step) {
        var bytes = 0L;
        if (step instanceof Step.End end && end.capture().isPresent()) {
            for (var link : end.capture().get().page().links()) {
                bytes += link.url().text().length() + LinkBudget.LINK_BYTES;
            }
        }
        return bytes;
    }

    /** Prepares the capture of a finished visit, so that the committer only appends it. */
    private Step prepare(Step step) throws IOException {
        if (step instanceof Step.End end
                && end.capture().isPresent()
                && !crawl.listener().isAbandoned()) {
            preparedCapture = Optional.of(crawl.sink().prepare(end.capture().get()));
        }
        return step;
    }

    private Optional<Instant> pass(Step.PassGates passGates) {
        return crawl.frontier()
                .passGates(lease, passGates.url(), passGates.address(), crawl.clock().instant());
    }

    private FetchResult fetch(CrawlUrl url, InetAddress address) throws IOException {
        var startNanos = System.nanoTime();
        activeVisit.startWaiting(crawl.clock().instant());
        activeVisit.beginFetch();
        FetchResult result;
        try {
            result =
                    crawl.fetcher()
                            .fetch(
                                    url,
                                    address,
                                    () -> crawl.frontier().sent(lease, crawl.clock().instant()),
                                    headFilter(url),
                                    validators(url));
        } finally {
            activeVisit.stopWaiting();
            activeVisit.endFetch();
        }
        var completed = result;
        received = result.optionalExchange().map(Exchange::body).orElse(Body.EMPTY);
        activeVisit.holdBody(received);
        activeVisit.requireNotAborted();
        result.optionalExchange()
                .ifPresentOrElse(
                        exchange ->
                                crawl.timeProfile()
                                        .addResponse(exchange.timings(), visit.isRobotsRequest()),
                        () ->
                                crawl.timeProfile()
                                        .addNanos(
                                                failedPhase(completed),
                                                System.nanoTime() - startNanos));
        if (result instanceof FetchResult.NoResponse(_, var ended, var problem)) {
            problem.ifPresent(text -> crawl.sockets().onFailure(new IOException(text), ended));
        } else {
            crawl.sockets().onSuccess();
        }
        if (result instanceof FetchResult.Failed(_, var cause, var detail, _)
                && cause == FailureCause.INTERNAL) {
            throw new IOException(detail); // A local failure, which must not count against the URL.
        }
        return result;
    }

    private Validators validators(CrawlUrl url) {
        return visit.isRobotsRequest() || !url.equals(lease.url())
                ? Validators.NONE
                : previous.map(PreviousVisit::validators).orElse(Validators.NONE);
    }

    private static Phase failedPhase(FetchResult result) {
        return result instanceof FetchResult.Failed(_, var cause, _, _)
                        && cause == FailureCause.CONNECT
                ? Phase.CONNECT
                : Phase.SERVER;
    }

    private Fetcher.HeadFilter headFilter(CrawlUrl url) {
        return visit.isRobotsRequest() || !url.equals(lease.url())
                ? ROBOTS_FILTER
                : head ->
                        lease.revisit() && head.status() == NOT_MODIFIED
                                ? Optional.empty()
                                : crawl.visitContext().refusal(head, lease.hop());
    }

    private void finish(Step.End end) throws IOException {
        var exchange = end.capture().flatMap(Capture::exchange);
        if (preparedCapture.isEmpty()) {
            var _ =
                    exchange.isPresent()
                            ? crawl.pageParser().runWithBody(exchange.get(), () -> prepare(end))
                            : prepare(end);
        }
        var inFiles = preparedCapture.filter(it -> it.records() instanceof Body.InFile).isPresent();
        if (received instanceof Body.InFile || inFiles) {
            crawl.storage().onSuccess();
        }
        Committer.deleteFile(received); // The records hold the body now.
        crawl.listener().finished(new Committer.FinishedVisit(end, preparedCapture));
    }

    /**
     * Ends a visit whose response could not be stored. The URL is not the cause, but a request was
     * spent. So the attempt counts, and the next one follows after a delay, if local storage works
     * again by then.
     */
    private void storageFailed(IOException error) {
        LOG.warn(
                "could not store the response of {}: {}",
                lease.url(),
                String.valueOf(error.getMessage()));
        var now = crawl.clock().instant();
        crawl.storage().onFailure(error, now);
        received = Body.EMPTY;
        try {
            finish(visit.storageFailed(error, now));
        } catch (IOException secondError) {
            crawl.listener().failed(secondError);
        }
    }

    /**
     * Requeues a URL that did not cause the failure, or ends the crawl if it does not wait for
     * storage.
     */
    private void requeueOrFail(IOException error) {
        if (!crawl.retriesStorage()) {
            crawl.listener().failed(error);
            return;
        }
        releaseLease();
    }

    private void releaseLease() {
        crawl.visitContext().robots().releaseClaim(lease.url());
        crawl.listener()
                .finished(
                        new Committer.FinishedVisit(
                                new Step.Release(
                                        lease,
                                        new ReleaseReason.Stopping(crawl.clock().instant()),
                                        Optional.empty(),
                                        List.of(),
                                        Optional.empty()),
                                Optional.empty()));
    }

    private void finishFailed(Throwable error) {
        try {
            // An internal error leaves no page to store.
            preparedCapture.ifPresent(it -> Committer.deleteFile(it.records()));
            preparedCapture = Optional.empty();
            finish(visit.internalError(error, crawl.clock().instant()));
        } catch (Throwable secondError) {
            crawl.listener().failed(secondError);
        }
    }
}
