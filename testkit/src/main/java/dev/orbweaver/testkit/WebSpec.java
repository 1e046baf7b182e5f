package dev.orbweaver.testkit;

import java.util.EnumSet;
import java.util.Set;

/**
 * All that a simulated web is made from: equal specs give equal webs, byte for byte.
 *
 * @param hosts how many hosts there are, the hub included
 * @param pages how many ordinary pages the hosts have together, not counting the hub's; what the
 *     quirks need comes on top
 * @param meanPageBytes the mean size of a page's HTML
 * @param sizeSkew the exponent of the Zipf law that the hosts' sizes follow: 0 makes all equal
 * @param latencyMillisMax how long the slowest of the slow pages take
 * @param hazards trouble that no web has unless it is asked for
 */
public record WebSpec(
        long seed,
        int hosts,
        int pages,
        int meanPageBytes,
        double sizeSkew,
        int latencyMillisMax,
        Set<Quirk> quirks,
        Set<Hazard> hazards) {

    /** The most hosts there can be. */
    public static final int HOSTS_MAX = 10_000_000;

    private static final int DEMO_HOSTS = 64;
    private static final int DEMO_PAGES = 1_500;
    private static final int LIGHT_PAGE_BYTES = PageSizes.SMALL.meanBytes();

    /** Rejects webs that cannot be built. */
    public WebSpec {
        if (hosts < 2 || hosts > HOSTS_MAX) {
            throw new IllegalArgumentException("hosts must be 2 to " + HOSTS_MAX + ": " + hosts);
        }
        if (pages < hosts - 1) {
            throw new IllegalArgumentException(
                    "each of " + (hosts - 1) + " hosts needs a page: " + pages);
        }
        if (meanPageBytes < 1 || sizeSkew < 0 || latencyMillisMax < 0) {
            throw new IllegalArgumentException("sizes and times cannot be negative");
        }
        quirks = Set.copyOf(quirks);
        hazards = Set.copyOf(hazards);
    }

    /** A web without hazards. */
    public WebSpec(
            long seed,
            int hosts,
            int pages,
            int meanPageBytes,
            double sizeSkew,
            int latencyMillisMax,
            Set<Quirk> quirks) {
        this(seed, hosts, pages, meanPageBytes, sizeSkew, latencyMillisMax, quirks, Set.of());
    }

    /** A web to show to a newcomer: everything occurs, no host is large, little is slow. */
    public static WebSpec demo(long seed) {
        return new WebSpec(
                seed,
                DEMO_HOSTS,
                DEMO_PAGES,
                LIGHT_PAGE_BYTES,
                0.5,
                1_200,
                EnumSet.allOf(Quirk.class));
    }

    /** A web for tests: everything occurs, pages are small, the slow ones not very slow. */
    public static WebSpec light(long seed, int hosts, int pages) {
        return new WebSpec(
                seed, hosts, pages, LIGHT_PAGE_BYTES, 0.8, 300, EnumSet.allOf(Quirk.class));
    }

    /**
     * A web with every kind of trouble, traps included: a crawler without a defence against them
     * never comes to its end. TLS is left out, because a crawler must be told whom to trust, and
     * the traps are plain ones.
     */
    public static WebSpec allHazards(long seed, int hosts, int pages) {
        return light(seed, hosts, pages)
                .with(Hazard.values())
                .without(Hazard.TLS, Hazard.DISGUISED_TRAPS);
    }

    /** The same web with pages of another mean size. */
    public WebSpec withMeanPageBytes(int bytes) {
        return new WebSpec(seed, hosts, pages, bytes, sizeSkew, latencyMillisMax, quirks, hazards);
    }

    /** The same web with pages of other sizes. */
    public WebSpec withPageSizes(PageSizes sizes) {
        return withMeanPageBytes(sizes.meanBytes());
    }

    /** The same hosts and pages with more trouble. */
    public WebSpec with(Hazard... wanted) {
        var more = EnumSet.noneOf(Hazard.class);
        more.addAll(hazards);
        more.addAll(Set.of(wanted));
        return withHazards(more);
    }

    /** The same web without some hazards. */
    public WebSpec without(Hazard... unwanted) {
        var rest = EnumSet.noneOf(Hazard.class);
        rest.addAll(hazards);
        rest.removeAll(Set.of(unwanted));
        return withHazards(rest);
    }

    private WebSpec withHazards(Set<Hazard> others) {
        return new WebSpec(
                seed, hosts, pages, meanPageBytes, sizeSkew, latencyMillisMax, quirks, others);
    }

    /** The same hosts and pages without some of the trouble. */
    public WebSpec without(Quirk... unwanted) {
        var rest = EnumSet.noneOf(Quirk.class);
        rest.addAll(quirks);
        rest.removeAll(Set.of(unwanted));
        return new WebSpec(
                seed, hosts, pages, meanPageBytes, sizeSkew, latencyMillisMax, rest, hazards);
    }

    /** The same hosts and pages without any trouble, as a benchmark wants them. */
    public WebSpec plain() {
        return without(Quirk.values()).without(Hazard.values());
    }

    boolean has(Quirk quirk) {
        return quirks.contains(quirk);
    }

    boolean has(Hazard hazard) {
        return hazards.contains(hazard);
    }

    /** What every URL begins with. */
    String scheme() {
        return has(Hazard.TLS) ? "https://" : "http://";
    }
}
