package dev.orbweaver.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;

/**
 * Traps in disguise: each host uses one of several URL forms, some of them beside its own pages.
 * They look like the rest of the site and link to varying pages of it, so a crawler cannot
 * recognise them by the names of the plain {@link Traps}.
 */
record DisguisedTraps(WebSpec spec, SimulatedHosts hosts, PageTable pages) {

    private static final long FORMS = 82;
    private static final long CHROME = 83;
    private static final long SIDE = 84;
    private static final long THINGS = 85;
    private static final long SESSIONS = 86;
    private static final int VARIANTS = 3;
    private static final int SENTENCES = 12;
    private static final int SIDE_LINKS = 3;
    private static final int FIRST_MONTH = 2026 * 12;
    private static final int LAST_MONTH = 9999 * 12;

    private static final String[] MONTHS = {
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December"
    };

    private static final String[] CALENDARS = {"/cal/", "/events?month=", "/agenda/"};
    private static final String[] SESSION_STARTS = {"/seen/", "/view?item=", "/s-"};
    private static final String[] REPEATED = {"branch/", "en/docs/", "find?q=1"};
    private static final String[] FACETS = {"/goods?", "/catalogue?", "/browse/"};

    private static final List<List<String>> FILTERS =
            List.of(
                    List.of("colour=red", "colour=blue", "size=s", "size=l", "sort=price"),
                    List.of("brand=7", "brand=9", "made-of=wood", "order=asc", "per=20", "v=2"),
                    List.of("red", "blue", "small", "large", "cheap", "new"));

    private int variant(int host, Trait trap) {
        return new SeededRandom(spec.seed(), FORMS + trap.name().hashCode(), host)
                .nextInt(VARIANTS);
    }

    private String prefix(int host, Trait trap, String[] starts) {
        return starts[variant(host, trap)];
    }

    List<Traps.TrapLink> entryLinks(int host) {
        var trapLinks = new ArrayList<Traps.TrapLink>();
        if (hosts.has(host, Trait.CALENDAR)) {
            trapLinks.add(new Traps.TrapLink("", calendarUrl(host, FIRST_MONTH)));
        }
        if (hosts.has(host, Trait.SESSION_IDS)) {
            trapLinks.add(new Traps.TrapLink("", sessionUrl(host, code(host), 1)));
        }
        if (hosts.has(host, Trait.REPEATING_PATHS)) {
            trapLinks.add(
                    new Traps.TrapLink("", "/" + prefix(host, Trait.REPEATING_PATHS, REPEATED)));
        }
        if (hosts.has(host, Trait.FACETS)) {
            var form = variant(host, Trait.FACETS);
            var first = FILTERS.get(form).getFirst();
            trapLinks.add(new Traps.TrapLink("", FACETS[form] + first + (form == 2 ? "/" : "")));
        }
        return trapLinks;
    }

    /** Adds a link to a missing URL to one of the host's pages. */
    String missingPagePath(int host, int local) {
        var word = Prose.word(new SeededRandom(spec.seed(), SIDE, local));
        return switch (variant(host, Trait.SOFT_404)) {
            case 0 -> "/gone/" + local;
            case 1 -> "/news/gone-" + local + ".html";
            default -> "/" + word + "-gone-" + local;
        };
    }

    boolean contains(int host, String target) {
        return (hosts.has(host, Trait.CALENDAR) && month(host, target) >= 0)
                || (hosts.has(host, Trait.SESSION_IDS)
                        && target.startsWith(prefix(host, Trait.SESSION_IDS, SESSION_STARTS)))
                || (hosts.has(host, Trait.REPEATING_PATHS) && repeats(host, target))
                || (hosts.has(host, Trait.FACETS)
                        && target.startsWith(prefix(host, Trait.FACETS, FACETS)));
    }

    WireResponse response(int host, String target) {
        if (hosts.has(host, Trait.CALENDAR) && month(host, target) >= 0) {
            return calendar(host, target);
        }
        if (hosts.has(host, Trait.SESSION_IDS)
                && target.startsWith(prefix(host, Trait.SESSION_IDS, SESSION_STARTS))) {
            return session(host, target);
        }
        if (hosts.has(host, Trait.REPEATING_PATHS) && repeats(host, target)) {
            var more = prefix(host, Trait.REPEATING_PATHS, REPEATED);
            return page(
                    host,
                    target,
                    "Contents",
                    "",
                    List.of(more.endsWith("/") ? more : target + "&more=" + target.length()));
        }
        if (hosts.has(host, Trait.FACETS)
                && target.startsWith(prefix(host, Trait.FACETS, FACETS))) {
            return facets(host, target);
        }
        return page(host, "", "We looked everywhere", "", List.of("/"));
    }

    private WireResponse calendar(int host, String target) {
        var month = month(host, target);
        var name = MONTHS[month % 12] + " " + month / 12;
        return page(
                host,
                target,
                "Events in " + name,
                "Nothing is planned in " + name + ".",
                List.of(
                        calendarUrl(host, Math.min(LAST_MONTH, month + 1)),
                        calendarUrl(host, Math.max(FIRST_MONTH, month - 1))));
    }

    private String calendarUrl(int host, int month) {
        var year = month / 12;
        var two = (month % 12 < 9 ? "0" : "") + (month % 12 + 1);
        return switch (variant(host, Trait.CALENDAR)) {
            case 0 -> CALENDARS[0] + year + two + ".html";
            case 1 -> CALENDARS[1] + year + "-" + two + "&view=list";
            default -> CALENDARS[2] + year + "/" + two + "/";
        };
    }

    /** Returns the month of a URL, or -1. */
    private int month(int host, String target) {
        var start = prefix(host, Trait.CALENDAR, CALENDARS);
        if (!target.startsWith(start)) {
            return -1;
        }
        var digits =
                target.substring(start.length())
                        .chars()
                        .filter(c -> c >= '0' && c <= '9')
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, (a, b) -> {})
                        .toString();
        if (digits.length() != 6) {
            return -1;
        }
        var month =
                Integer.parseInt(digits, 0, 4, 10) * 12 + Integer.parseInt(digits, 4, 6, 10) - 1;
        return calendarUrl(host, month).equals(target) ? month : -1;
    }

    private WireResponse session(int host, String target) {
        var code = code(target.hashCode());
        var step = Math.floorMod(target.hashCode(), 1_000);
        return page(
                host,
                target,
                "Your visit",
                "You are " + code + ".",
                List.of(sessionUrl(host, code, 1), sessionUrl(host, code, 2 + step)));
    }

    private String sessionUrl(int host, String code, int step) {
        return switch (variant(host, Trait.SESSION_IDS)) {
            case 0 -> SESSION_STARTS[0] + code + "/" + step;
            case 1 -> SESSION_STARTS[1] + step + "&sid=" + code;
            default -> SESSION_STARTS[2] + code + "/room/" + step;
        };
    }

    private boolean repeats(int host, String target) {
        var part = prefix(host, Trait.REPEATING_PATHS, REPEATED);
        return part.endsWith("/")
                ? target.startsWith("/" + part) && target.replace(part, "").equals("/")
                : target.startsWith("/" + part);
    }

    private WireResponse facets(int host, String target) {
        var form = variant(host, Trait.FACETS);
        var directories = form == 2;
        var chosen =
                Arrays.asList(
                        target.substring(FACETS[form].length()).split(directories ? "/" : "&", -1));
        var links = new ArrayList<String>();
        for (var filter : FILTERS.get(form)) {
            if (!chosen.contains(filter)) {
                links.add(directories ? target + filter + "/" : target + "&" + filter);
            }
        }
        if (!directories) {
            links.add(target + "&page=" + (chosen.size() + 1));
        }
        var seededRandom = new SeededRandom(spec.seed(), THINGS, new TreeSet<>(chosen).hashCode());
        var things = new StringBuilder("Of all things these:");
        for (var i = 0; i < 5; i++) {
            things.append(' ').append(Prose.word(seededRandom));
        }
        return page(host, target, "Things, filtered", things.toString(), links);
    }

    /** Returns a page with the host's layout and links to some of its pages. */
    private WireResponse page(
            int host, String target, String title, String text, List<String> links) {
        var html = new StringBuilder("<!DOCTYPE html>\n<title>" + title + "</title>\n<p>");
        var chrome = new SeededRandom(spec.seed(), CHROME, host);
        for (var i = 0; i < SENTENCES; i++) {
            Prose.sentence(html, chrome);
        }
        html.append("</p>\n<h1>").append(title).append("</h1>\n<p>").append(text).append("</p>\n");
        links.forEach(link -> anchor(html, link));
        var side = new SeededRandom(spec.seed(), SIDE, target.hashCode());
        for (var i = 0; i < SIDE_LINKS; i++) {
            anchor(html, pages.path(pages.first(host) + side.nextInt(hosts.ordinaryPages(host))));
        }
        return WireResponse.of(
                200, "text/html; charset=utf-8", html.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void anchor(StringBuilder html, String link) {
        html.append("<a href=\"").append(link.replace("&", "&amp;")).append("\">more</a>\n");
    }

    private String code(long subject) {
        return HexFormat.of()
                .toHexDigits(new SeededRandom(spec.seed(), SESSIONS, subject).nextLong());
    }
}
