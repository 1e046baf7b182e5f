package dev.orbweaver.testkit;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A web generated from one seed: hosts, pages, links and responses. It is a pure function of its
 * {@link WebSpec}; the port is a parameter, because it is part of every URL.
 *
 * <p>Hosts and pages are numbers. Responses are computed on demand.
 */
public final class SimulatedWeb {

    /** The start of the web's first day. */
    public static final Instant FIRST_DAY = Instant.parse("2026-01-01T00:00:00Z");

    private static final long LATENCY = 51;
    private static final long HOST_LATENCY = 52;
    private static final long FAILURES = 53;
    private static final int FAILING_ATTEMPTS = 2;
    private static final int[] REDIRECT_STATUSES = {301, 302, 307, 308};

    private final WebSpec spec;
    private final SimulatedHosts hosts;
    private final PageTable pages;
    private final LinkGraph links;
    private final Sitemaps sitemaps;
    private final RobotsFiles robots;
    private final Traps traps;
    private final PageVersions pageVersions;
    private final PageBodies bodies;

    private SimulatedWeb(WebSpec spec) {
        this.spec = spec;
        hosts = new SimulatedHosts(spec);
        pages = new PageTable(spec, hosts);
        links = new LinkGraph(spec, hosts, pages);
        pageVersions = new PageVersions(spec, hosts, pages);
        sitemaps = new Sitemaps(hosts, pages, pageVersions);
        robots = new RobotsFiles(hosts, sitemaps);
        traps = new Traps(spec, hosts, new DisguisedTraps(spec, hosts, pages));
        bodies = new PageBodies(spec, hosts, pages, links, traps);
    }

    public static SimulatedWeb of(WebSpec spec) {
        return new SimulatedWeb(spec);
    }

    public WebSpec spec() {
        return spec;
    }

    /** The number of pages of all kinds, including redirects and missing pages. */
    public int pageCount() {
        return pages.count();
    }

    /** The number of hosts, including dead ones. */
    public int hostCount() {
        return hosts.count();
    }

    /** The URL of the hub's front page, from which every host is reachable. */
    public String hubUrl(int port) {
        return url(pages.first(SimulatedHosts.HUB), port);
    }

    public String frontUrl(int host, int port) {
        return url(pages.first(host), port);
    }

    public String hostName(int host) {
        return hosts.name(host);
    }

    public String url(int page, int port) {
        return spec.scheme() + authority(pages.host(page), port) + pages.path(page);
    }

    public OptionalInt find(String url) {
        var uri = URI.create(url);
        var host = uri.getHost() == null ? OptionalInt.empty() : hosts.find(uri.getHost());
        return host.isEmpty() ? host : pages.find(host.getAsInt(), target(uri));
    }

    /** Whether a URL is in a trap: it is linked and has a response, but is not a page. */
    public boolean isTrap(String url) {
        if (spec.hazards().isEmpty()) {
            return false;
        }
        var uri = URI.create(url);
        var resolvedHost =
                uri.getHost() == null ? Optional.<ResolvedHost>empty() : locate(uri.getHost());
        return resolvedHost.isPresent() && isTrap(resolvedHost.get(), target(uri));
    }

    boolean isTrap(ResolvedHost resolvedHost, String target) {
        return !resolvedHost.label.isEmpty()
                ? !target.equals(RobotsFiles.ROBOTS_TXT)
                : pages.find(resolvedHost.host, target).isEmpty()
                        && !robots.isRobotsFile(resolvedHost.host, target)
                        && !sitemaps.files(resolvedHost.host).contains(target)
                        && traps.contains(resolvedHost.host, target);
    }

    /**
     * @param label the subdomain label of a host with wildcard names; otherwise empty
     */
    record ResolvedHost(int host, String label) {}

    Optional<ResolvedHost> locate(String name) {
        var host = hosts.find(name);
        if (host.isPresent()) {
            return Optional.of(new ResolvedHost(host.getAsInt(), ""));
        }
        if (spec.has(Hazard.SUBDOMAINS)) {
            var label = Traps.label(name.toLowerCase(Locale.ROOT));
            var below =
                    label.isEmpty()
                            ? OptionalInt.empty()
                            : hosts.find(name.substring(label.get().length() + 1));
            if (below.isPresent() && hosts.has(below.getAsInt(), Trait.SUBDOMAINS)) {
                return Optional.of(new ResolvedHost(below.getAsInt(), label.orElseThrow()));
            }
        }
        return Optional.empty();
    }

    private static String target(URI uri) {
        var path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }

    /** Resolves a name; empty if it does not exist. */
    public Optional<InetAddress> resolve(String name) {
        return locate(name)
                .filter(resolvedHost -> !hosts.has(resolvedHost.host, Trait.UNRESOLVABLE))
                .map(resolvedHost -> inetAddress(hosts.address(resolvedHost.host)));
    }

    /** The number of changes of a page's text since the start of the web's first day. */
    public long version(int page, Duration now) {
        return pageVersions.version(page, now);
    }

    /** The mean number of changes of a page's text per day. */
    public double changesPerDay(int page) {
        return pageVersions.process(page).perDay();
    }

    /** Whether a page is missing at a time, and comes back later. */
    public boolean isAbsent(int page, Duration now) {
        return pageVersions.isAbsent(page, now);
    }

    PageVersions pageVersions() {
        return pageVersions;
    }

    /** The addresses that a server of this web must bind. */
    public Set<InetAddress> addresses() {
        var numbers = new HashSet<Integer>();
        for (var host = 0; host < hosts.count(); host++) {
            if (hosts.isLive(host)) {
                numbers.add(hosts.address(host));
            }
        }
        var addresses = new HashSet<InetAddress>();
        numbers.forEach(number -> addresses.add(inetAddress(number)));
        return addresses;
    }

    /**
     * Returns the response to a request; empty if the host has no server.
     *
     * @param target the path with its query
     * @param attempt the number of earlier requests for this URL
     */
    public Optional<SimulatedResponse> respond(String name, String target, int port, int attempt) {
        return respond(
                SimulatedRequest.of(name, target).withAttempt(attempt),
                port,
                new HiddenRateLimits(this));
    }

    /**
     * Returns the response to a request, with rate limits; empty if the host has no server.
     *
     * @param limits the state of the hosts' rate limits, owned by the caller
     */
    public Optional<SimulatedResponse> respond(
            SimulatedRequest simulatedRequest, int port, HiddenRateLimits limits) {
        return locate(simulatedRequest.name())
                .filter(resolvedHost -> hosts.isLive(resolvedHost.host))
                .map(
                        resolvedHost ->
                                SimulatedResponse.of(
                                        response(resolvedHost, simulatedRequest, port, limits)));
    }

    private WireResponse response(
            ResolvedHost resolvedHost,
            SimulatedRequest simulatedRequest,
            int port,
            HiddenRateLimits limits) {
        var refusal = refusal(resolvedHost, simulatedRequest.now(), limits);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        var page =
                resolvedHost.label.isEmpty()
                        ? pages.find(resolvedHost.host, simulatedRequest.target())
                        : OptionalInt.empty();
        return page.isPresent()
                ? response(page.getAsInt(), port, simulatedRequest)
                : response(resolvedHost, simulatedRequest.target(), port, simulatedRequest.now());
    }

    /** Returns the 429 response of a host with a hidden rate limit. */
    static Optional<WireResponse> refusal(
            ResolvedHost resolvedHost, Duration now, HiddenRateLimits limits) {
        var admission = limits.tryAcquire(resolvedHost.host, now);
        return admission.admitted()
                ? Optional.empty()
                : Optional.of(WireResponse.error(429).withFields(admission.fields()));
    }

    List<LinkGraph.Link> links(int page) {
        return links.of(page);
    }

    SimulatedHosts hosts() {
        return hosts;
    }

    PageTable pages() {
        return pages;
    }

    Sitemaps sitemaps() {
        return sitemaps;
    }

    String authority(int host, int port) {
        return hosts.name(host) + ":" + port;
    }

    RobotsFiles robots() {
        return robots;
    }

    /** Returns the response for robots.txt, a sitemap, a trap or a missing path. */
    WireResponse response(ResolvedHost resolvedHost, String path, int port, Duration now) {
        var host = resolvedHost.host;
        if (!resolvedHost.label.isEmpty()) {
            return traps.subdomain(resolvedHost.label, authority(host, port), path);
        }
        var origin = spec.scheme() + authority(host, port);
        return robots.response(host, path, origin)
                .or(() -> sitemaps.response(host, path, origin, page -> url(page, port), now))
                .orElseGet(
                        () ->
                                traps.contains(host, path)
                                        ? traps.response(host, path)
                                        : WireResponse.error(404));
    }

    /** Returns the response on the first day. */
    WireResponse response(int page, int port, int attempt, boolean gzipAccepted) {
        return response(
                page,
                port,
                new SimulatedRequest("", "", attempt, Duration.ZERO, gzipAccepted, "", ""));
    }

    WireResponse response(int page, int port, SimulatedRequest simulatedRequest) {
        var host = pages.host(page);
        if (failsByChance(host, page, simulatedRequest.attempt())) {
            return failure(page, simulatedRequest.attempt());
        }
        var wireResponse =
                pageVersions.isAbsent(page, simulatedRequest.now())
                        ? WireResponse.error(page % 2 == 0 ? 404 : 410)
                        : content(page, port, simulatedRequest);
        return hosts.has(host, Trait.LATENCY)
                ? wireResponse.withLatency(
                        wireResponse.latencyMillis() + modelledLatencyMillis(host, page))
                : wireResponse;
    }

    private WireResponse content(int page, int port, SimulatedRequest simulatedRequest) {
        return switch (pages.kind(page)) {
            case REDIRECT, REDIRECT_HOP, SLASH_REDIRECT -> redirect(page, port);
            case NOT_FOUND -> WireResponse.error(404);
            case GONE -> WireResponse.error(410);
            case ERROR_500 -> WireResponse.error(500);
            case ERROR_503 -> WireResponse.error(503);
            case FLAKY ->
                    simulatedRequest.attempt() == 0
                            ? WireResponse.error(503)
                            : html(page, port, simulatedRequest);
            case IMAGE -> bodies.binary(page, "image/png");
            case ARCHIVE -> bodies.binary(page, "application/zip");
            case TRUNCATED ->
                    bodies.html(page, other -> authority(other, port), 0, PageBoilerplate.NONE)
                            .withFraming(WireResponse.Framing.TRUNCATED);
            case SLOW -> html(page, port, simulatedRequest).withLatency(latencyMillis(page));
            case ORDINARY,
                    PRIVATE,
                    DRAFT,
                    SITEMAP_ONLY,
                    SLASH_PAGE,
                    CANONICAL_COPY,
                    NOINDEX,
                    NOFOLLOW,
                    HIDDEN,
                    SPONSORED,
                    UTF_16,
                    LINKED_FROM_UTF_16 ->
                    html(page, port, simulatedRequest);
        };
    }

    /** Whether the response depends on attempts, time or validators. */
    boolean isStateful(int page) {
        var host = pages.host(page);
        return hosts.has(host, Trait.FAILURES)
                || hosts.has(host, Trait.VALIDATORS)
                || hosts.has(host, Trait.CHANGES)
                || hosts.has(host, Trait.BOILERPLATE)
                || hosts.has(host, Trait.VANISHING)
                || pages.kind(page) == PageKind.FLAKY;
    }

    /** Fails one in eight of the first two attempts, so that three attempts always succeed. */
    private boolean failsByChance(int host, int page, int attempt) {
        return hosts.has(host, Trait.FAILURES)
                && attempt < FAILING_ATTEMPTS
                && failureRandom(page, attempt).oneIn(8);
    }

    private WireResponse failure(int page, int attempt) {
        var seededRandom = failureRandom(page, attempt);
        var _ = seededRandom.oneIn(8);
        return seededRandom.oneIn(2) ? WireResponse.error(503) : WireResponse.closedConnection();
    }

    private SeededRandom failureRandom(int page, int attempt) {
        return new SeededRandom(spec.seed(), FAILURES, (long) page * FAILING_ATTEMPTS + attempt);
    }

    private WireResponse redirect(int page, int port) {
        var target = pages.target(page);
        var status = REDIRECT_STATUSES[page % REDIRECT_STATUSES.length];
        // RFC 9110, section 10.2.2: a Location may be relative.
        var relative = pages.host(page) == pages.host(target) && page % 3 == 0;
        return WireResponse.redirect(status, relative ? pages.path(target) : url(target, port));
    }

    private WireResponse html(int page, int port, SimulatedRequest simulatedRequest) {
        var host = pages.host(page);
        var fields = pageVersions.validatorFields(page, simulatedRequest);
        if (pageVersions.isNotModified(page, simulatedRequest)) {
            return WireResponse.notModified(fields);
        }
        return bodies.html(
                        page,
                        other -> authority(other, port),
                        pageVersions.version(page, simulatedRequest.now()),
                        pageVersions.boilerplate(page, simulatedRequest))
                .withFields(fields)
                .withFraming(framing(host, page))
                .withGzip(simulatedRequest.gzip() && hosts.has(host, Trait.GZIP));
    }

    private WireResponse.Framing framing(int host, int page) {
        if (hosts.has(host, Trait.CLOSING)) {
            return page % 2 == 0
                    ? WireResponse.Framing.LENGTH_THEN_CLOSE
                    : WireResponse.Framing.UNTIL_CLOSE;
        }
        return hosts.has(host, Trait.CHUNKED)
                ? WireResponse.Framing.CHUNKED
                : WireResponse.Framing.LENGTH;
    }

    private int latencyMillis(int page) {
        var most = spec.latencyMillisMax();
        return most / 2 + new SeededRandom(spec.seed(), LATENCY, page).nextInt(most / 2 + 1);
    }

    /** The latency: a host part and a page part, both log-normal, up to the limit. */
    private int modelledLatencyMillis(int host, int page) {
        var base =
                20
                        * StrictMath.exp(
                                new SeededRandom(spec.seed(), HOST_LATENCY, host).nextGaussian());
        var own = 5 * StrictMath.exp(new SeededRandom(spec.seed(), LATENCY, page).nextGaussian());
        return (int) Math.min(base + own, spec.latencyMillisMax());
    }

    static InetAddress inetAddress(int address) {
        var bytes =
                new byte[] {
                    (byte) (address >> 24),
                    (byte) (address >> 16),
                    (byte) (address >> 8),
                    (byte) address
                };
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(
                    "four bytes are an address: " + Arrays.toString(bytes), e);
        }
    }
}
