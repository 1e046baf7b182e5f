package dev.orbweaver.lab;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * The hosts of a web: how large each is, where it lives, what its robots.txt says and what it is
 * like. Host 0 is the hub.
 *
 * <p>Sizes follow a Zipf law over a shuffled order. What costs a crawl much time (Crawl-delay, dead
 * names) or many pages (robots.txt that forbids all) falls to the smaller half of the hosts, so
 * that a web stays as quick to crawl, and its truth nearly as large, as its spec promises.
 * Everything else is dealt out in turn over a second shuffle, so that some sixty hosts are enough
 * for every kind to occur.
 */
@SuppressWarnings("EnumOrdinal") // Numbers of traits and policies never leave this table.
final class HostTable {

    static final int HUB = 0;

    private static final String HUB_NAME = "hub.test";
    private static final int HUB_LINKS_MAX = 1_000;
    private static final int HUB_LINKS_PER_PAGE = 500;
    private static final long SIZES = 1;
    private static final long DEAL = 2;
    private static final long ADDRESSES = 3;

    private static final RobotsPolicy[] DEALT = {
        RobotsPolicy.PRIVATE,
        RobotsPolicy.NOT_FOUND,
        RobotsPolicy.WILDCARDS,
        RobotsPolicy.ALLOW_ALL,
        RobotsPolicy.OWN_GROUP,
        RobotsPolicy.NOT_FOUND,
        RobotsPolicy.FORBIDDEN,
    };

    /** How many addresses live hosts have, and how many dead ones. */
    private static final int ADDRESSES_MAX = 16_000;

    /** Up to so many hosts, names that were spelled out are kept. */
    private static final int KEPT_NAMES_MAX = 16_384;

    private static final int NETWORK = 127 << 24 | 77 << 16;
    private static final int DEAF_NETWORK = 127 << 24 | 78 << 16;
    private static final byte NO_POLICY = -1;
    private static final RobotsPolicy[] POLICIES = RobotsPolicy.values();

    private final WebSpec spec;
    private final int[] ordinary;
    private final int[] address;

    /** A bit for each trait: millions of hosts are kept in a few bytes each. */
    private final int[] traits;

    private final byte[] policy;
    private final @Nullable String[] names;

    HostTable(WebSpec spec) {
        this.spec = spec;
        var hosts = spec.hosts();
        ordinary = new int[hosts];
        address = new int[hosts];
        traits = new int[hosts];
        policy = new byte[hosts];
        names = new String[hosts <= KEPT_NAMES_MAX ? hosts : 0];
        Arrays.fill(policy, NO_POLICY);
        var bySize = new int[hosts - 1];
        for (var i = 0; i < bySize.length; i++) {
            bySize[i] = i + 1;
        }
        new Dice(spec.seed(), SIZES, 0).shuffle(bySize);
        size(bySize);
        deal(bySize);
        house();
    }

    /** How many hosts there are. */
    int count() {
        return ordinary.length;
    }

    /** How many ordinary pages a host has, its front page included. */
    int ordinary(int host) {
        return ordinary[host];
    }

    RobotsPolicy policy(int host) {
        return POLICIES[policy[host]];
    }

    boolean has(int host, Trait trait) {
        return (traits[host] & 1 << trait.ordinal()) != 0;
    }

    /** Whether requests to the host are answered at all. */
    boolean live(int host) {
        return !has(host, Trait.NAMELESS) && !has(host, Trait.DEAF);
    }

    /** The IPv4 address as a number. Some hosts share one with their neighbour. */
    int address(int host) {
        return address[host];
    }

    int crawlDelayMillis(int host) {
        return policy(host) == RobotsPolicy.CRAWL_DELAY ? 50 + 25 * (host % 7) : 0;
    }

    /** Whether the hub's front page can hold a link to every host; else its other pages do. */
    boolean hubIsOnePage() {
        return count() <= HUB_LINKS_MAX;
    }

    /** The hosts that one of the hub's pages lists: from the first to before the second. */
    int[] listed(int hubPage) {
        if (hubIsOnePage()) {
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
            return spell(host);
        }
        var known = names[host];
        if (known == null) {
            known = spell(host);
            names[host] = known; // Two threads may both spell it, to the same end.
        }
        return known;
    }

    private String spell(int host) {
        return host == HUB
                ? HUB_NAME
                : "h" + threeDigits(host) + ".site" + threeDigits(site(host)) + ".test";
    }

    /** The registrable domain, as the public suffix list's default rule has it. */
    String domain(int host) {
        var name = name(host);
        return host == HUB ? name : name.substring(name.indexOf('.') + 1);
    }

    /** The host of a name written in any case of letters. */
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

    /** Now and then three neighbours share a registrable domain. */
    private int site(int host) {
        var first = host - host % 3;
        return new Dice(spec.seed(), DEAL, first).oneIn(4) ? first : host;
    }

    private static String threeDigits(int number) {
        var digits = Integer.toString(number);
        return "0".repeat(Math.max(0, 3 - digits.length())) + digits;
    }

    private void size(int[] bySize) {
        var weight = new double[bySize.length];
        var sum = 0.0;
        for (var rank = 0; rank < weight.length; rank++) {
            weight[rank] = StrictMath.pow(rank + 1.0, -spec.sizeSkew());
            sum += weight[rank];
        }
        // Every host has its front page; the others are shared out, the rounding to the largest.
        var shared = spec.pages() - bySize.length;
        var left = shared;
        for (var rank = 0; rank < weight.length; rank++) {
            var share = (int) (shared * weight[rank] / sum);
            ordinary[bySize[rank]] = 1 + share;
            left -= share;
        }
        ordinary[bySize[0]] += left;
        ordinary[HUB] =
                hubIsOnePage()
                        ? 1
                        : 1 + (count() - 1 + HUB_LINKS_PER_PAGE - 1) / HUB_LINKS_PER_PAGE;
    }

    private void deal(int[] bySize) {
        policy[HUB] = (byte) RobotsPolicy.ALLOW_ALL.ordinal();
        var dice = new Dice(spec.seed(), DEAL, -1);
        var smaller = Arrays.copyOfRange(bySize, bySize.length / 2, bySize.length);
        dice.shuffle(smaller);
        // A web of a few hosts keeps most of them usable: the costly kinds need company.
        if (count() >= 10) {
            dealCostly(new Small(smaller));
        }
        dice.shuffle(bySize);
        var turn = 0;
        for (var host : bySize) {
            if (policy[host] == NO_POLICY) {
                policy[host] = (byte) dealtPolicy(turn).ordinal();
                traits[host] |= dealtTraits(turn);
                traits[host] |= dealtHazards(turn);
                turn++;
            }
        }
    }

    private void dealCostly(Small small) {
        var hosts = count();
        if (spec.has(Quirk.DEAD_HOSTS)) {
            small.mark(1 + hosts / 200, Trait.NAMELESS);
            small.mark(1 + hosts / 200, Trait.DEAF);
        }
        if (spec.has(Quirk.ROBOTS_UNREACHABLE)) {
            small.rule(1, RobotsPolicy.UNREACHABLE);
        }
        if (spec.has(Quirk.ROBOTS_DENIALS)) {
            small.rule(1 + hosts / 50, RobotsPolicy.DENY_ALL);
        }
        if (spec.has(Quirk.CRAWL_DELAYS)) {
            small.rule(1 + hosts / 25, RobotsPolicy.CRAWL_DELAY);
        }
        if (spec.has(Hazard.ROBOTS_KINDS)) {
            for (var kind : POLICIES) {
                if (kind.hazardous()) {
                    small.rule(1 + hosts / 100, kind);
                }
            }
        }
    }

    /** The smaller hosts, handed out one by one to what costs a crawl much. */
    private final class Small {

        private final int[] hosts;
        private int next;

        Small(int[] hosts) {
            this.hosts = hosts;
        }

        void mark(int howMany, Trait trait) {
            var end = Math.min(hosts.length, next + howMany);
            for (var i = next; i < end; i++) {
                traits[hosts[i]] |= bit(trait, true);
            }
            rule(howMany, RobotsPolicy.NOT_FOUND);
        }

        void rule(int howMany, RobotsPolicy given) {
            for (var i = 0; i < howMany && next < hosts.length; i++) {
                policy[hosts[next++]] = (byte) given.ordinal();
            }
        }
    }

    private RobotsPolicy dealtPolicy(int turn) {
        var dealt = DEALT[turn % DEALT.length];
        return spec.has(Quirk.ROBOTS_DENIALS) || !dealt.hasPrivatePages()
                ? dealt
                : RobotsPolicy.ALLOW_ALL;
    }

    private int dealtTraits(int turn) {
        return when(Quirk.TRANSFER_FORMS, turn % 4 == 1, Trait.GZIP)
                | when(Quirk.TRANSFER_FORMS, turn % 5 == 2, Trait.CHUNKED)
                | when(Quirk.TRANSFER_FORMS, turn % 9 == 3, Trait.CLOSING)
                | when(Quirk.CHARSETS, turn % 6 == 4, Trait.WINDOWS_1252)
                | when(Quirk.CHARSETS, turn % 24 == 10, Trait.WIDE)
                | when(Quirk.SITEMAPS, turn % 3 == 0, Trait.SITEMAP)
                | when(Quirk.SITEMAPS, turn % 6 == 3, Trait.SITEMAP_INDEX)
                | when(Quirk.REDIRECTS, turn % 2 == 0, Trait.REDIRECTS)
                | when(Quirk.REDIRECTS, turn % 12 == 6, Trait.LOOP)
                | when(Quirk.MISSING_PAGES, turn % 3 == 1, Trait.MISSING)
                | when(Quirk.SERVER_ERRORS, turn % 6 == 1, Trait.ERRORS)
                | when(Quirk.ROBOTS_META, turn % 4 == 2, Trait.META)
                | when(Quirk.MEDIA, turn % 2 == 1, Trait.MEDIA)
                | when(Quirk.SLOW_PAGES, turn % 10 == 5, Trait.SLOW)
                | when(Quirk.CUT_SHORT_BODIES, turn % 16 == 9, Trait.CUT_SHORT);
    }

    private int dealtHazards(int turn) {
        return when(Hazard.VALIDATORS, turn % 3 != 1, Trait.VALIDATORS)
                | when(Hazard.CHANGES, turn % 2 == 0, Trait.CHANGES)
                | when(Hazard.HIDDEN_LIMITS, turn % 7 == 3, Trait.HIDDEN_LIMIT)
                | when(Hazard.LATENCY, true, Trait.LATENCY)
                | when(Hazard.FAILURES, turn % 5 == 4, Trait.FAILURES)
                | when(Hazard.CALENDAR, turn % 12 == 1, Trait.CALENDAR)
                | when(Hazard.SESSION_IDS, turn % 12 == 2, Trait.SESSION_IDS)
                | when(Hazard.REPEATING_PATHS, turn % 12 == 4, Trait.REPEATING_PATHS)
                | when(Hazard.FACETS, turn % 12 == 5, Trait.FACETS)
                | when(Hazard.SOFT_404, turn % 12 == 7, Trait.SOFT_404)
                | when(Hazard.SUBDOMAINS, turn % 12 == 8, Trait.SUBDOMAINS);
    }

    private int when(Quirk quirk, boolean itsTurn, Trait trait) {
        return bit(trait, itsTurn && spec.has(quirk));
    }

    private int when(Hazard hazard, boolean itsTurn, Trait trait) {
        return bit(trait, itsTurn && spec.has(hazard));
    }

    private static int bit(Trait trait, boolean set) {
        return set ? 1 << trait.ordinal() : 0;
    }

    /**
     * Some hosts share an address with their neighbour, and past the number of addresses all do. A
     * large web's deaf hosts live elsewhere, since at its addresses somebody listens.
     */
    private void house() {
        var dice = new Dice(spec.seed(), ADDRESSES, 0);
        var large = count() > ADDRESSES_MAX;
        var next = 0;
        for (var host = 0; host < count(); host++) {
            var shares =
                    host > 1
                            && dice.oneIn(5)
                            && !has(host, Trait.DEAF)
                            && !has(host - 1, Trait.DEAF);
            if (large && has(host, Trait.DEAF)) {
                address[host] = ipv4(DEAF_NETWORK, host % ADDRESSES_MAX);
            } else {
                address[host] = shares ? address[host - 1] : ipv4(NETWORK, next++ % ADDRESSES_MAX);
            }
        }
    }

    /** 127.77.x.y, the last byte never 0 or 255. */
    private static int ipv4(int network, int index) {
        return network | (index / 250) << 8 | (1 + index % 250);
    }
}
