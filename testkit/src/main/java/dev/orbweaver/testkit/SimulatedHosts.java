package dev.orbweaver.testkit;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * The hosts of a web: number of pages, address, robots.txt and traits of each. Host 0 is the hub.
 *
 * <p>Sizes follow a Zipf distribution over a shuffled order. Traits that cost a crawl much time
 * (Crawl-delay, dead names) or many pages (robots.txt that disallows all) are assigned to the
 * smaller half of the hosts, so that crawl time and ground truth stay close to the spec. All others
 * are assigned in turn over a second shuffle, so that about sixty hosts are enough for every kind
 * to occur.
 */
@SuppressWarnings("EnumOrdinal") // Ordinals of traits and policies are not used outside this table.
final class SimulatedHosts {

    static final int HUB = 0;

    private static final String HUB_NAME = "hub.test";
    private static final int HUB_LINKS_MAX = 1_000;
    private static final int HUB_LINKS_PER_PAGE = 500;
    private static final long SIZES = 1;
    private static final long DEAL = 2;
    private static final long ADDRESSES = 3;

    private static final SimulatedRobots[] POLICY_CYCLE = {
        SimulatedRobots.PRIVATE,
        SimulatedRobots.NOT_FOUND,
        SimulatedRobots.WILDCARDS,
        SimulatedRobots.ALLOW_ALL,
        SimulatedRobots.OWN_GROUP,
        SimulatedRobots.NOT_FOUND,
        SimulatedRobots.FORBIDDEN,
    };

    /** The number of addresses of live hosts, and of dead ones. */
    private static final int ADDRESSES_MAX = 16_000;

    /** The maximum number of hosts for which computed names are cached. */
    private static final int KEPT_NAMES_MAX = 16_384;

    private static final int NETWORK = 127 << 24 | 77 << 16;
    private static final int UNRESPONSIVE_NETWORK = 127 << 24 | 78 << 16;
    private static final byte NO_POLICY = -1;
    private static final SimulatedRobots[] POLICIES = SimulatedRobots.values();

    private final WebSpec spec;
    private final int[] ordinaryPages;
    private final int[] address;

    /** One bit per trait, because a web may have millions of hosts. */
    private final int[] traits;

    private final byte[] policy;
    private final @Nullable String[] names;

    SimulatedHosts(WebSpec spec) {
        this.spec = spec;
        var hosts = spec.hosts();
        ordinaryPages = new int[hosts];
        address = new int[hosts];
        traits = new int[hosts];
        policy = new byte[hosts];
        names = new String[hosts <= KEPT_NAMES_MAX ? hosts : 0];
        Arrays.fill(policy, NO_POLICY);
        var bySize = new int[hosts - 1];
        for (var i = 0; i < bySize.length; i++) {
            bySize[i] = i + 1;
        }
        new SeededRandom(spec.seed(), SIZES, 0).shuffle(bySize);
        assignSizes(bySize);
        assignKinds(bySize);
        assignAddresses();
    }

    int count() {
        return ordinaryPages.length;
    }

    /** Returns the number of ordinary pages of a host, including its front page. */
    int ordinaryPages(int host) {
        return ordinaryPages[host];
    }

    SimulatedRobots policy(int host) {
        return POLICIES[policy[host]];
    }

    boolean has(int host, Trait trait) {
        return (traits[host] & 1 << trait.ordinal()) != 0;
    }

    /** Whether the host has a server. */
    boolean isLive(int host) {
        return !has(host, Trait.UNRESOLVABLE) && !has(host, Trait.UNRESPONSIVE);
    }

    /** Returns the IPv4 address as a number. Some hosts share one with their neighbour. */
    int address(int host) {
        return address[host];
    }

    int crawlDelayMillis(int host) {
        return policy(host) == SimulatedRobots.CRAWL_DELAY ? 50 + 25 * (host % 7) : 0;
    }

    /** Whether the hub's front page links to every host; otherwise its other pages do. */
    boolean isHubSinglePage() {
        return count() <= HUB_LINKS_MAX;
    }

    /** Returns the range of hosts that a page of the hub lists: first and end. */
    int[] listedHosts(int hubPage) {
        if (isHubSinglePage()) {
            return new int[] {1, count()};
        }
        if (hubPage == 0) {
            return new int[] {1, 1};
        }
        var from = 1 + (hubPage - 1) * HUB_LINKS_PER_PAGE;
        return new int[] {from, Math.min(from + HUB_LINKS_PER_PAGE, count())};
    }

    String name(int host) {
        if (host >= names.length) {
            return formatName(host);
        }
        var known = names[host];
        if (known == null) {
            known = formatName(host);
            names[host] =
                    known; // Two threads may compute it at the same time, with the same result.
        }
        return known;
    }

    private String formatName(int host) {
        return host == HUB
                ? HUB_NAME
                : "h" + threeDigits(host) + ".site" + threeDigits(site(host)) + ".test";
    }

    /** Returns the registrable domain by the default rule of the public suffix list. */
    String domain(int host) {
        var name = name(host);
        return host == HUB ? name : name.substring(name.indexOf('.') + 1);
    }

    /** Finds a host by name, case-insensitively. */
    OptionalInt find(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (lower.equals(HUB_NAME)) {
            return OptionalInt.of(HUB);
        }
        var dot = lower.indexOf('.');
        if (dot < 2 || dot > 9 || lower.charAt(0) != 'h') {
            return OptionalInt.empty();
        }
        var number = 0;
        for (var i = 1; i < dot; i++) {
            var digit = lower.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return OptionalInt.empty();
            }
            number = number * 10 + digit;
        }
        return number > 0 && number < count() && name(number).equals(lower)
                ? OptionalInt.of(number)
                : OptionalInt.empty();
    }

    /** Sometimes three neighbours share a registrable domain. */
    private int site(int host) {
        var first = host - host % 3;
        return new SeededRandom(spec.seed(), DEAL, first).oneIn(4) ? first : host;
    }

    private static String threeDigits(int number) {
        var digits = Integer.toString(number);
        return "0".repeat(Math.max(0, 3 - digits.length())) + digits;
    }

    private void assignSizes(int[] bySize) {
        var weight = new double[bySize.length];
        var sum = 0.0;
        for (var rank = 0; rank < weight.length; rank++) {
            weight[rank] = StrictMath.pow(rank + 1.0, -spec.sizeSkew());
            sum += weight[rank];
        }
        // Every host has a front page; the others are distributed, the remainder to the largest.
        var shared = spec.pages() - bySize.length;
        var left = shared;
        for (var rank = 0; rank < weight.length; rank++) {
            var share = (int) (shared * weight[rank] / sum);
            ordinaryPages[bySize[rank]] = 1 + share;
            left -= share;
        }
        ordinaryPages[bySize[0]] += left;
        ordinaryPages[HUB] =
                isHubSinglePage()
                        ? 1
                        : 1 + (count() - 1 + HUB_LINKS_PER_PAGE - 1) / HUB_LINKS_PER_PAGE;
    }

    private void assignKinds(int[] bySize) {
        policy[HUB] = (byte) SimulatedRobots.ALLOW_ALL.ordinal();
        var seededRandom = new SeededRandom(spec.seed(), DEAL, -1);
        var smaller = Arrays.copyOfRange(bySize, bySize.length / 2, bySize.length);
        seededRandom.shuffle(smaller);
        // In a web of few hosts most of them must remain usable, so costly kinds are left out.
        if (count() >= 10) {
            assignCostlyKinds(new SmallHosts(smaller));
        }
        seededRandom.shuffle(bySize);
        var turn = 0;
        for (var host : bySize) {
            if (policy[host] == NO_POLICY) {
                policy[host] = (byte) policyForTurn(turn).ordinal();
                traits[host] |= traitsForTurn(turn);
                traits[host] |= hazardsForTurn(turn);
                turn++;
            }
        }
    }

    private void assignCostlyKinds(SmallHosts smallHosts) {
        var hosts = count();
        if (spec.has(Quirk.DEAD_HOSTS)) {
            smallHosts.assignTrait(1 + hosts / 200, Trait.UNRESOLVABLE);
            smallHosts.assignTrait(1 + hosts / 200, Trait.UNRESPONSIVE);
        }
        if (spec.has(Quirk.ROBOTS_UNREACHABLE)) {
            smallHosts.assignPolicy(1, SimulatedRobots.UNREACHABLE);
        }
        if (spec.has(Quirk.ROBOTS_DENIALS)) {
            smallHosts.assignPolicy(1 + hosts / 50, SimulatedRobots.DENY_ALL);
        }
        if (spec.has(Quirk.CRAWL_DELAYS)) {
            smallHosts.assignPolicy(1 + hosts / 25, SimulatedRobots.CRAWL_DELAY);
        }
        if (spec.has(Hazard.ROBOTS_KINDS)) {
            for (var kind : POLICIES) {
                if (kind.isHazard()) {
                    smallHosts.assignPolicy(1 + hosts / 100, kind);
                }
            }
        }
    }

    /** Assigns costly traits to the smaller hosts, one by one. */
    private final class SmallHosts {

        private final int[] hosts;
        private int next;

        SmallHosts(int[] hosts) {
            this.hosts = hosts;
        }

        void assignTrait(int howMany, Trait trait) {
            var end = Math.min(hosts.length, next + howMany);
            for (var i = next; i < end; i++) {
                traits[hosts[i]] |= bit(trait, true);
            }
            assignPolicy(howMany, SimulatedRobots.NOT_FOUND);
        }

        void assignPolicy(int howMany, SimulatedRobots given) {
            for (var i = 0; i < howMany && next < hosts.length; i++) {
                policy[hosts[next++]] = (byte) given.ordinal();
            }
        }
    }

    private SimulatedRobots policyForTurn(int turn) {
        var dealt = POLICY_CYCLE[turn % POLICY_CYCLE.length];
        return spec.has(Quirk.ROBOTS_DENIALS) || !dealt.hasPrivatePages()
                ? dealt
                : SimulatedRobots.ALLOW_ALL;
    }

    private int traitsForTurn(int turn) {
        return bitIf(Quirk.TRANSFER_FORMS, turn % 4 == 1, Trait.GZIP)
                | bitIf(Quirk.TRANSFER_FORMS, turn % 5 == 2, Trait.CHUNKED)
                | bitIf(Quirk.TRANSFER_FORMS, turn % 9 == 3, Trait.CLOSING)
                | bitIf(Quirk.CHARSETS, turn % 6 == 4, Trait.WINDOWS_1252)
                | bitIf(Quirk.CHARSETS, turn % 24 == 10, Trait.UTF_16)
                | bitIf(Quirk.SITEMAPS, turn % 3 == 0, Trait.SITEMAP)
                | bitIf(Quirk.SITEMAPS, turn % 6 == 3, Trait.SITEMAP_INDEX)
                | bitIf(Quirk.REDIRECTS, turn % 2 == 0, Trait.REDIRECTS)
                | bitIf(Quirk.REDIRECTS, turn % 12 == 6, Trait.LOOP)
                | bitIf(Quirk.MISSING_PAGES, turn % 3 == 1, Trait.MISSING)
                | bitIf(Quirk.SERVER_ERRORS, turn % 6 == 1, Trait.ERRORS)
                | bitIf(Quirk.ROBOTS_META, turn % 4 == 2, Trait.META)
                | bitIf(Quirk.MEDIA, turn % 2 == 1, Trait.MEDIA)
                | bitIf(Quirk.SLOW_PAGES, turn % 10 == 5, Trait.SLOW)
                | bitIf(Quirk.TRUNCATED_BODIES, turn % 16 == 9, Trait.TRUNCATED);
    }

    private int hazardsForTurn(int turn) {
        return bitIf(Hazard.VALIDATORS, turn % 3 != 1, Trait.VALIDATORS)
                | bitIf(Hazard.CHANGES, turn % 2 == 0, Trait.CHANGES)
                | bitIf(Hazard.BOILERPLATE, turn % 4 == 0, Trait.BOILERPLATE)
                | bitIf(Hazard.LYING_VALIDATORS, turn % 6 == 2, Trait.LYING_VALIDATORS)
                | bitIf(Hazard.SITEMAP_DATES, turn % 3 == 0, Trait.SITEMAP_DATES)
                | bitIf(Hazard.VANISHING, turn % 8 == 0, Trait.VANISHING)
                | bitIf(Hazard.HIDDEN_LIMITS, turn % 7 == 3, Trait.HIDDEN_LIMIT)
                | bitIf(Hazard.LATENCY, true, Trait.LATENCY)
                | bitIf(Hazard.FAILURES, turn % 5 == 4, Trait.FAILURES)
                | bitIf(Hazard.CALENDAR, turn % 12 == 1, Trait.CALENDAR)
                | bitIf(Hazard.SESSION_IDS, turn % 12 == 2, Trait.SESSION_IDS)
                | bitIf(Hazard.REPEATING_PATHS, turn % 12 == 4, Trait.REPEATING_PATHS)
                | bitIf(Hazard.FACETS, turn % 12 == 5, Trait.FACETS)
                | bitIf(Hazard.SOFT_404, turn % 12 == 7, Trait.SOFT_404)
                | bitIf(Hazard.SUBDOMAINS, turn % 12 == 8, Trait.SUBDOMAINS);
    }

    private int bitIf(Quirk quirk, boolean itsTurn, Trait trait) {
        return bit(trait, itsTurn && spec.has(quirk));
    }

    private int bitIf(Hazard hazard, boolean itsTurn, Trait trait) {
        return bit(trait, itsTurn && spec.has(hazard));
    }

    private static int bit(Trait trait, boolean set) {
        return set ? 1 << trait.ordinal() : 0;
    }

    /**
     * Assigns addresses. Some hosts share an address with their neighbour, and all do if there are
     * more hosts than addresses. Dead hosts of a large web get addresses without a server.
     */
    private void assignAddresses() {
        var seededRandom = new SeededRandom(spec.seed(), ADDRESSES, 0);
        var large = count() > ADDRESSES_MAX;
        var next = 0;
        for (var host = 0; host < count(); host++) {
            var shares =
                    host > 1
                            && seededRandom.oneIn(5)
                            && !has(host, Trait.UNRESPONSIVE)
                            && !has(host - 1, Trait.UNRESPONSIVE);
            if (large && has(host, Trait.UNRESPONSIVE)) {
                address[host] = ipv4(UNRESPONSIVE_NETWORK, host % ADDRESSES_MAX);
            } else {
                address[host] = shares ? address[host - 1] : ipv4(NETWORK, next++ % ADDRESSES_MAX);
            }
        }
    }

    /** Returns 127.77.x.y; the last byte is never 0 or 255. */
    private static int ipv4(int network, int index) {
        return network | (index / 250) << 8 | (1 + index % 250);
    }
}
