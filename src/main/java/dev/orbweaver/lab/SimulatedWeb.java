package dev.orbweaver.lab;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A web made from one seed: which hosts and pages there are, how they are linked, and what each
 * request is answered with. It is a pure function of its {@link WebSpec}; the port at which it is
 * served is given with each question, because it stands in every URL.
 *
 * <p>Hosts and pages are numbers. Answers are worked out when asked for and not kept.
 */
public final class SimulatedWeb {

    private static final long LATENCY = 51;
    private static final int[] REDIRECT_STATUSES = {301, 302, 307, 308};

    private final WebSpec spec;
    private final HostTable hosts;
    private final PageTable pages;
    private final LinkGraph links;
    private final Sitemaps sitemaps;
    private final PageBodies bodies;

    private SimulatedWeb(WebSpec spec) {
        this.spec = spec;
        hosts = new HostTable(spec);
        pages = new PageTable(spec, hosts);
        links = new LinkGraph(spec, hosts, pages);
        sitemaps = new Sitemaps(hosts, pages);
        bodies = new PageBodies(spec, hosts, pages, links);
    }

    /** Builds the web that a spec describes. */
    public static SimulatedWeb of(WebSpec spec) {
        return new SimulatedWeb(spec);
    }

    /** What the web was made from. */
    public WebSpec spec() {
        return spec;
    }

    /** How many pages of all kinds there are, redirects and missing ones included. */
    public int pageCount() {
        return pages.count();
    }

    /** How many hosts there are, dead ones included. */
    public int hostCount() {
        return hosts.count();
    }

    /** The front page that leads to every host. */
    public String hubUrl(int port) {
        return url(pages.first(HostTable.HUB), port);
    }

    /** The URL of a host's front page. */
    public String frontUrl(int host, int port) {
        return url(pages.first(host), port);
    }

    /** The name of a host. */
    public String hostName(int host) {
        return hosts.name(host);
    }

    /** The URL of a page. */
    public String url(int page, int port) {
        return "http://" + authority(pages.host(page), port) + pages.path(page);
    }

    /** The page behind a URL. */
    public OptionalInt find(String url) {
        var uri = URI.create(url);
        var host = uri.getHost() == null ? OptionalInt.empty() : hosts.find(uri.getHost());
        var path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        var target = uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
        return host.isEmpty() ? host : pages.find(host.getAsInt(), target);
    }

    /** The address that a name resolves to, or nothing where the name does not exist. */
    public Optional<InetAddress> resolve(String name) {
        var host = hosts.find(name);
        return host.isEmpty() || hosts.has(host.getAsInt(), Trait.NAMELESS)
                ? Optional.empty()
                : Optional.of(inetAddress(hosts.address(host.getAsInt())));
    }

    /** Every address at which a server of this web must listen. */
    public Set<InetAddress> addresses() {
        var addresses = new HashSet<InetAddress>();
        for (var host = 0; host < hosts.count(); host++) {
            if (hosts.live(host)) {
                addresses.add(inetAddress(hosts.address(host)));
            }
        }
        return addresses;
    }

    /**
     * The reply to a request, or nothing where no server listens.
     *
     * @param target the path with its query
     * @param attempt how often this URL was asked for before
     */
    public Optional<Reply> reply(String name, String target, int port, int attempt) {
        var host = hosts.find(name);
        if (host.isEmpty() || !hosts.live(host.getAsInt())) {
            return Optional.empty();
        }
        var page = pages.find(host.getAsInt(), target);
        var answer =
                page.isPresent()
                        ? answer(page.getAsInt(), port, attempt, true)
                        : answer(host.getAsInt(), target, port);
        return Optional.of(
                new Reply(
                        answer.status(),
                        answer.fields(),
                        answer.body(),
                        answer.latencyMillis(),
                        answer.framing() == Answer.Framing.CUT_SHORT));
    }

    /** What a page's links lead to, each target once. */
    List<LinkGraph.Link> links(int page) {
        return links.of(page);
    }

    HostTable hosts() {
        return hosts;
    }

    PageTable pages() {
        return pages;
    }

    Sitemaps sitemaps() {
        return sitemaps;
    }

    /** Host and port as they stand in URLs. */
    String authority(int host, int port) {
        return hosts.name(host) + ":" + port;
    }

    /**
     * The answer to a request for what is no page: robots.txt, a sitemap, a path that leads
     * nowhere.
     */
    Answer answer(int host, String path, int port) {
        if (path.equals("/robots.txt")) {
            return robots(host, port);
        }
        return sitemaps.answer(
                        host, path, "http://" + authority(host, port), page -> url(page, port))
                .orElseGet(() -> Answer.error(404));
    }

    /**
     * The answer to a request for a page.
     *
     * @param attempt how often this page was asked for before; whoever drives the web counts
     * @param gzipAccepted whether the request said that it takes gzip
     */
    Answer answer(int page, int port, int attempt, boolean gzipAccepted) {
        return switch (pages.kind(page)) {
            case REDIRECT, REDIRECT_HOP, SLASH_REDIRECT -> redirect(page, port);
            case NOT_FOUND -> Answer.error(404);
            case GONE -> Answer.error(410);
            case ERROR_500 -> Answer.error(500);
            case ERROR_503 -> Answer.error(503);
            case FLAKY -> attempt == 0 ? Answer.error(503) : html(page, port, gzipAccepted);
            case IMAGE -> bodies.binary(page, "image/png");
            case ARCHIVE -> bodies.binary(page, "application/zip");
            case CUT_SHORT -> html(page, port, false).framed(Answer.Framing.CUT_SHORT);
            case SLOW -> html(page, port, gzipAccepted).after(latencyMillis(page));
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
                    WIDE,
                    BEHIND_WIDE ->
                    html(page, port, gzipAccepted);
        };
    }

    /** Whether the answer depends on how often the page was asked for. */
    boolean remembers(int page) {
        return pages.kind(page) == PageKind.FLAKY;
    }

    private Answer robots(int host, int port) {
        var policy = hosts.policy(host);
        // A host with a sitemap needs a robots.txt to name it, if only for that.
        if (policy.status() != 200 && sitemaps.files(host).isEmpty()) {
            return Answer.error(policy.status());
        }
        var text = new StringBuilder(policy.text(hosts.crawlDelayMillis(host)));
        sitemaps.files(host).stream()
                .limit(1)
                .forEach(
                        file ->
                                text.append("\nSitemap: http://")
                                        .append(authority(host, port))
                                        .append(file)
                                        .append('\n'));
        return Answer.of(200, "text/plain", text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private Answer redirect(int page, int port) {
        var target = pages.target(page);
        var status = REDIRECT_STATUSES[page % REDIRECT_STATUSES.length];
        // RFC 9110, section 10.2.2: a Location may be relative.
        var relative = pages.host(page) == pages.host(target) && page % 3 == 0;
        return Answer.redirect(status, relative ? pages.path(target) : url(target, port));
    }

    private Answer html(int page, int port, boolean gzipAccepted) {
        var host = pages.host(page);
        var plain = bodies.html(page, other -> authority(other, port));
        return plain.framed(framing(host, page)).coded(gzipAccepted && hosts.has(host, Trait.GZIP));
    }

    private Answer.Framing framing(int host, int page) {
        if (hosts.has(host, Trait.CLOSING)) {
            return page % 2 == 0 ? Answer.Framing.LENGTH_THEN_CLOSE : Answer.Framing.UNTIL_CLOSE;
        }
        return hosts.has(host, Trait.CHUNKED) ? Answer.Framing.CHUNKED : Answer.Framing.LENGTH;
    }

    private int latencyMillis(int page) {
        var most = spec.latencyMillisMax();
        return most / 2 + new Dice(spec.seed(), LATENCY, page).below(most / 2 + 1);
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
