package dev.orbweaver.lab;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;

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

    private final WebSpec spec;
    private final int[] ordinary;
    private final int[] address;
    private final List<EnumSet<Trait>> traits;
    private final RobotsPolicy[] policy;

    HostTable(WebSpec spec) {
        this.spec = spec;
        var hosts = spec.hosts();
        ordinary = new int[hosts];
        address = new int[hosts];
        traits = new ArrayList<>(hosts);
        for (var host = 0; host < hosts; host++) {
            traits.add(EnumSet.noneOf(Trait.class));
        }
        policy = new RobotsPolicy[hosts];
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
        return policy[host];
    }

    boolean has(int host, Trait trait) {
        return traits.get(host).contains(trait);
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
        return policy[host] == RobotsPolicy.CRAWL_DELAY ? 50 + 25 * (host % 7) : 0;
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
        if (dot < 2 || dot > 7 || lower.charAt(0) != 'h') {
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
        policy[HUB] = RobotsPolicy.ALLOW_ALL;
        var dice = new Dice(spec.seed(), DEAL, -1);
        var smaller = Arrays.copyOfRange(bySize, bySize.length / 2, bySize.length);
        dice.shuffle(smaller);
        var small = new ArrayDeque<Integer>();
        for (var host : smaller) {
            small.add(host);
        }
        var hosts = count();
        // A web of a few hosts keeps most of them usable: the costly kinds need company.
        if (spec.has(Quirk.DEAD_HOSTS) && hosts >= 10) {
            mark(small, 1 + hosts / 200, Trait.NAMELESS);
            mark(small, 1 + hosts / 200, Trait.DEAF);
        }
        if (spec.has(Quirk.ROBOTS_UNREACHABLE) && hosts >= 10) {
            rule(small, 1, RobotsPolicy.UNREACHABLE);
        }
        if (spec.has(Quirk.ROBOTS_DENIALS) && hosts >= 10) {
            rule(small, 1 + hosts / 50, RobotsPolicy.DENY_ALL);
        }
        if (spec.has(Quirk.CRAWL_DELAYS) && hosts >= 10) {
            rule(small, 1 + hosts / 25, RobotsPolicy.CRAWL_DELAY);
        }
        var order = bySize.clone();
        dice.shuffle(order);
        var turn = 0;
        for (var host : order) {
            if (policy[host] == null) {
                policy[host] = dealtPolicy(turn);
                dealTraits(turn++, traits.get(host));
            }
        }
    }

    private void mark(ArrayDeque<Integer> small, int howMany, Trait trait) {
        for (var i = 0; i < howMany && !small.isEmpty(); i++) {
            var host = small.remove();
            traits.get(host).add(trait);
            policy[host] = RobotsPolicy.NOT_FOUND;
        }
    }

    private void rule(ArrayDeque<Integer> small, int howMany, RobotsPolicy given) {
        for (var i = 0; i < howMany && !small.isEmpty(); i++) {
            policy[small.remove()] = given;
        }
    }

    private RobotsPolicy dealtPolicy(int turn) {
        var dealt = DEALT[turn % DEALT.length];
        return spec.has(Quirk.ROBOTS_DENIALS) || !dealt.hasPrivatePages()
                ? dealt
                : RobotsPolicy.ALLOW_ALL;
    }

    private void dealTraits(int turn, Set<Trait> given) {
        when(Quirk.TRANSFER_FORMS, turn % 4 == 1, Trait.GZIP, given);
        when(Quirk.TRANSFER_FORMS, turn % 5 == 2, Trait.CHUNKED, given);
        when(Quirk.TRANSFER_FORMS, turn % 9 == 3, Trait.CLOSING, given);
        when(Quirk.CHARSETS, turn % 6 == 4, Trait.WINDOWS_1252, given);
        when(Quirk.CHARSETS, turn % 24 == 10, Trait.WIDE, given);
        when(Quirk.SITEMAPS, turn % 3 == 0, Trait.SITEMAP, given);
        when(Quirk.SITEMAPS, turn % 6 == 3, Trait.SITEMAP_INDEX, given);
        when(Quirk.REDIRECTS, turn % 2 == 0, Trait.REDIRECTS, given);
        when(Quirk.REDIRECTS, turn % 12 == 6, Trait.LOOP, given);
        when(Quirk.MISSING_PAGES, turn % 3 == 1, Trait.MISSING, given);
        when(Quirk.SERVER_ERRORS, turn % 6 == 1, Trait.ERRORS, given);
        when(Quirk.ROBOTS_META, turn % 4 == 2, Trait.META, given);
        when(Quirk.MEDIA, turn % 2 == 1, Trait.MEDIA, given);
        when(Quirk.SLOW_PAGES, turn % 10 == 5, Trait.SLOW, given);
        when(Quirk.CUT_SHORT_BODIES, turn % 16 == 9, Trait.CUT_SHORT, given);
    }

    private void when(Quirk quirk, boolean itsTurn, Trait trait, Set<Trait> given) {
        if (itsTurn && spec.has(quirk)) {
            given.add(trait);
        }
    }

    private void house() {
        var dice = new Dice(spec.seed(), ADDRESSES, 0);
        var next = 0;
        for (var host = 0; host < count(); host++) {
            var shares =
                    host > 1
                            && dice.oneIn(5)
                            && !has(host, Trait.DEAF)
                            && !has(host - 1, Trait.DEAF);
            address[host] = shares ? address[host - 1] : ipv4(next++);
        }
    }

    /** 127.77.x.y, the last byte never 0 or 255. */
    private static int ipv4(int index) {
        return 127 << 24 | 77 << 16 | (index / 250) << 8 | (1 + index % 250);
    }
}
