package dev.orbweaver.lab;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
    private static final long HOST_LATENCY = 52;
    private static final long FAILURES = 53;
    private static final int FAILING_ATTEMPTS = 2;
    private static final int[] REDIRECT_STATUSES = {301, 302, 307, 308};

    private final WebSpec spec;
    private final HostTable hosts;
    private final PageTable pages;
    private final LinkGraph links;
    private final Sitemaps sitemaps;
    private final RobotsFiles robots;
    private final Traps traps;
    private final Versions versions;
    private final PageBodies bodies;

    private SimulatedWeb(WebSpec spec) {
        this.spec = spec;
        hosts = new HostTable(spec);
        pages = new PageTable(spec, hosts);
        links = new LinkGraph(spec, hosts, pages);
        sitemaps = new Sitemaps(hosts, pages);
        robots = new RobotsFiles(hosts, sitemaps);
        traps = new Traps(spec, hosts, new WilyTraps(spec, hosts, pages));
        versions = new Versions(spec, hosts, pages);
        bodies = new PageBodies(spec, hosts, pages, links, traps);
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
        return spec.scheme() + authority(pages.host(page), port) + pages.path(page);
    }

    /** The page behind a URL. */
    public OptionalInt find(String url) {
        var uri = URI.create(url);
        var host = uri.getHost() == null ? OptionalInt.empty() : hosts.find(uri.getHost());
        return host.isEmpty() ? host : pages.find(host.getAsInt(), target(uri));
    }

    /** Whether a URL lies in a trap: linked, answered, no page, and a waste to ask for. */
    public boolean isTrap(String url) {
        if (spec.hazards().isEmpty()) {
            return false;
        }
        var uri = URI.create(url);
        var place = uri.getHost() == null ? Optional.<Place>empty() : locate(uri.getHost());
        return place.isPresent() && isTrap(place.get(), target(uri));
    }

    boolean isTrap(Place place, String target) {
        return !place.label.isEmpty()
                ? !target.equals(RobotsFiles.ROBOTS_TXT)
                : pages.find(place.host, target).isEmpty()
                        && !robots.holds(place.host, target)
                        && !sitemaps.files(place.host).contains(target)
                        && traps.holds(place.host, target);
    }

    /**
     * What a name leads to.
     *
     * @param label what stands before the host's own name where all names below it exist, else
     *     empty
     */
    record Place(int host, String label) {}

    /** The host of a name, its own or one below it. */
    Optional<Place> locate(String name) {
        var host = hosts.find(name);
        if (host.isPresent()) {
            return Optional.of(new Place(host.getAsInt(), ""));
        }
        if (spec.has(Hazard.SUBDOMAINS)) {
            var label = Traps.label(name.toLowerCase(Locale.ROOT));
            var below =
                    label.isEmpty()
                            ? OptionalInt.empty()
                            : hosts.find(name.substring(label.get().length() + 1));
            if (below.isPresent() && hosts.has(below.getAsInt(), Trait.SUBDOMAINS)) {
                return Optional.of(new Place(below.getAsInt(), label.orElseThrow()));
            }
        }
        return Optional.empty();
    }

    private static String target(URI uri) {
        var path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }

    /** The address that a name resolves to, or nothing where the name does not exist. */
    public Optional<InetAddress> resolve(String name) {
        return locate(name)
                .filter(place -> !hosts.has(place.host, Trait.NAMELESS))
                .map(place -> inetAddress(hosts.address(place.host)));
    }

    /** How often a page has changed by a time since the web's first day began. */
    public long version(int page, Duration now) {
        return versions.version(page, now);
    }

    /** Every address at which a server of this web must listen. */
    public Set<InetAddress> addresses() {
        var numbers = new HashSet<Integer>();
        for (var host = 0; host < hosts.count(); host++) {
            if (hosts.live(host)) {
                numbers.add(hosts.address(host));
            }
        }
        var addresses = new HashSet<InetAddress>();
        numbers.forEach(number -> addresses.add(inetAddress(number)));
        return addresses;
    }

    /**
     * The reply to a request, or nothing where no server listens.
     *
     * @param target the path with its query
     * @param attempt how often this URL was asked for before
     */
    public Optional<Reply> reply(String name, String target, int port, int attempt) {
        return reply(Ask.of(name, target).again(attempt), port, new HiddenLimits(this));
    }

    /**
     * The reply to a request, or nothing where no server listens.
     *
     * @param limits what the hosts remember of earlier requests; the caller keeps it
     */
    public Optional<Reply> reply(Ask ask, int port, HiddenLimits limits) {
        return locate(ask.name())
                .filter(place -> hosts.live(place.host))
                .map(place -> Reply.of(answer(place, ask, port, limits)));
    }

    private Answer answer(Place place, Ask ask, int port, HiddenLimits limits) {
        var refusal = refusal(place, ask.now(), limits);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        var page =
                place.label.isEmpty() ? pages.find(place.host, ask.target()) : OptionalInt.empty();
        return page.isPresent()
                ? answer(page.getAsInt(), port, ask)
                : answer(place, ask.target(), port);
    }

    /** What a host with a hidden limit says to those who ask too fast. */
    static Optional<Answer> refusal(Place place, Duration now, HiddenLimits limits) {
        var verdict = limits.take(place.host, now);
        return verdict.taken()
                ? Optional.empty()
                : Optional.of(Answer.error(429).with(verdict.fields()));
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

    RobotsFiles robots() {
        return robots;
    }

    Answer answer(int host, String path, int port) {
        return answer(new Place(host, ""), path, port);
    }

    /**
     * The answer to a request for what is no page: robots.txt, a sitemap, a trap, a path that leads
     * nowhere.
     */
    Answer answer(Place place, String path, int port) {
        var host = place.host;
        if (!place.label.isEmpty()) {
            return traps.subdomain(place.label, authority(host, port), path);
        }
        var origin = spec.scheme() + authority(host, port);
        return robots.answer(host, path, origin)
                .or(() -> sitemaps.answer(host, path, origin, page -> url(page, port)))
                .orElseGet(
                        () ->
                                traps.holds(host, path)
                                        ? traps.answer(host, path)
                                        : Answer.error(404));
    }

    /** The answer to a request for a page on the first day. */
    Answer answer(int page, int port, int attempt, boolean gzipAccepted) {
        return answer(page, port, new Ask("", "", attempt, Duration.ZERO, gzipAccepted, "", ""));
    }

    /** The answer to a request for a page. */
    Answer answer(int page, int port, Ask ask) {
        var host = pages.host(page);
        if (fails(host, page, ask.attempt())) {
            return failure(page, ask.attempt());
        }
        var answer = content(page, port, ask);
        return hosts.has(host, Trait.LATENCY)
                ? answer.after(answer.latencyMillis() + modelledMillis(host, page))
                : answer;
    }

    private Answer content(int page, int port, Ask ask) {
        return switch (pages.kind(page)) {
            case REDIRECT, REDIRECT_HOP, SLASH_REDIRECT -> redirect(page, port);
            case NOT_FOUND -> Answer.error(404);
            case GONE -> Answer.error(410);
            case ERROR_500 -> Answer.error(500);
            case ERROR_503 -> Answer.error(503);
            case FLAKY -> ask.attempt() == 0 ? Answer.error(503) : html(page, port, ask);
            case IMAGE -> bodies.binary(page, "image/png");
            case ARCHIVE -> bodies.binary(page, "application/zip");
            case CUT_SHORT -> bodies(page, port, 0).framed(Answer.Framing.CUT_SHORT);
            case SLOW -> html(page, port, ask).after(latencyMillis(page));
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
                    html(page, port, ask);
        };
    }

    /** Whether the answer depends on how often, when or with what the page was asked for. */
    boolean remembers(int page) {
        var host = pages.host(page);
        return hosts.has(host, Trait.FAILURES)
                || hosts.has(host, Trait.VALIDATORS)
                || hosts.has(host, Trait.CHANGES)
                || pages.kind(page) == PageKind.FLAKY;
    }

    /**
     * Whether an answer fails by chance: one in eight at the first two times of asking, so that who
     * tries three times gets everything and the truth stays exact.
     */
    private boolean fails(int host, int page, int attempt) {
        return hosts.has(host, Trait.FAILURES)
                && attempt < FAILING_ATTEMPTS
                && failureDice(page, attempt).oneIn(8);
    }

    private Answer failure(int page, int attempt) {
        var dice = failureDice(page, attempt);
        var _ = dice.oneIn(8);
        return dice.oneIn(2) ? Answer.error(503) : Answer.nothing();
    }

    private Dice failureDice(int page, int attempt) {
        return new Dice(spec.seed(), FAILURES, (long) page * FAILING_ATTEMPTS + attempt);
    }

    private Answer redirect(int page, int port) {
        var target = pages.target(page);
        var status = REDIRECT_STATUSES[page % REDIRECT_STATUSES.length];
        // RFC 9110, section 10.2.2: a Location may be relative.
        var relative = pages.host(page) == pages.host(target) && page % 3 == 0;
        return Answer.redirect(status, relative ? pages.path(target) : url(target, port));
    }

    private Answer html(int page, int port, Ask ask) {
        var host = pages.host(page);
        var fields = versions.fields(page, ask.now());
        if (versions.known(page, ask)) {
            return Answer.notModified(fields);
        }
        return bodies(page, port, versions.version(page, ask.now()))
                .with(fields)
                .framed(framing(host, page))
                .coded(ask.gzip() && hosts.has(host, Trait.GZIP));
    }

    private Answer bodies(int page, int port, long version) {
        return bodies.html(page, other -> authority(other, port), version);
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

    /** A base for the host and a part for the page, both log-normal, together under the limit. */
    private int modelledMillis(int host, int page) {
        var base = 20 * StrictMath.exp(new Dice(spec.seed(), HOST_LATENCY, host).normal());
        var own = 5 * StrictMath.exp(new Dice(spec.seed(), LATENCY, page).normal());
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
