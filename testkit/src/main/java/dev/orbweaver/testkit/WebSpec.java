package dev.orbweaver.testkit;

import java.util.EnumSet;
import java.util.Set;

/**
 * The parameters of a simulated web. Equal specs give byte-identical webs.
 *
 * @param hosts number of hosts, including the hub
 * @param pages ordinary pages of all hosts except the hub; quirks add further pages
 * @param meanPageBytes mean size of a page's HTML
 * @param sizeSkew exponent of the Zipf distribution of host sizes; 0 makes all equal
 * @param latencyMillisMax latency of the slowest pages
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

    public static final int HOSTS_MAX = 10_000_000;

    private static final int DEMO_HOSTS = 64;
    private static final int DEMO_PAGES = 1_500;
    private static final int LIGHT_PAGE_BYTES = PageSizes.SMALL.meanBytes();

    public WebSpec {
        if (hosts < 2 || hosts > HOSTS_MAX) {
            throw new IllegalArgumentException(
                    "hosts must be from 2 to " + HOSTS_MAX + ", not " + hosts);
        }
        if (pages < hosts - 1) {
            throw new IllegalArgumentException(
                    "pages must be at least " + (hosts - 1) + ", one per host, not " + pages);
        }
        if (meanPageBytes < 1 || sizeSkew < 0 || latencyMillisMax < 0) {
            throw new IllegalArgumentException("sizes and times must not be negative");
        }
        quirks = Set.copyOf(quirks);
        hazards = Set.copyOf(hazards);
    }

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

    /** For the demo: all quirks occur, no host is large, few pages are slow. */
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

    /** For tests: all quirks occur, pages are small, slow pages are not very slow. */
    public static WebSpec light(long seed, int hosts, int pages) {
        return new WebSpec(
                seed, hosts, pages, LIGHT_PAGE_BYTES, 0.8, 300, EnumSet.allOf(Quirk.class));
    }

    /**
     * A web with every hazard, including plain traps, except TLS, which needs a trusted
     * certificate. A crawler without protection against traps never ends.
     */
    public static WebSpec allHazards(long seed, int hosts, int pages) {
        return light(seed, hosts, pages)
                .with(Hazard.values())
                .without(Hazard.TLS, Hazard.DISGUISED_TRAPS);
    }

    public WebSpec withMeanPageBytes(int bytes) {
        return new WebSpec(seed, hosts, pages, bytes, sizeSkew, latencyMillisMax, quirks, hazards);
    }

    public WebSpec withPageSizes(PageSizes sizes) {
        return withMeanPageBytes(sizes.meanBytes());
    }

    public WebSpec with(Hazard... wanted) {
        var more = EnumSet.noneOf(Hazard.class);
        more.addAll(hazards);
        more.addAll(Set.of(wanted));
        return withHazards(more);
    }

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

    public WebSpec without(Quirk... unwanted) {
        var rest = EnumSet.noneOf(Quirk.class);
        rest.addAll(quirks);
        rest.removeAll(Set.of(unwanted));
        return new WebSpec(
                seed, hosts, pages, meanPageBytes, sizeSkew, latencyMillisMax, rest, hazards);
    }

    /** Returns a spec with the same hosts and pages without quirks, for benchmarks. */
    public WebSpec plain() {
        return without(Quirk.values()).without(Hazard.values());
    }

    boolean has(Quirk quirk) {
        return quirks.contains(quirk);
    }

    boolean has(Hazard hazard) {
        return hazards.contains(hazard);
    }

    /** The scheme of every URL. */
    String scheme() {
        return has(Hazard.TLS) ? "https://" : "http://";
    }
}
