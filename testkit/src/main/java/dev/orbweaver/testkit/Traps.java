package dev.orbweaver.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Crawler traps with unlimited URLs. None of the URLs is a page of the web, so every request is
 * wasted, even if the response looks good. Responses are stateless functions of the URL.
 */
record Traps(WebSpec spec, SimulatedHosts hosts, DisguisedTraps disguisedTraps) {

    private static final long SESSIONS = 81;
    private static final String CALENDAR = "/calendar/";
    private static final int FIRST_MONTH = 2026 * 12;
    private static final String SESSION = "/visit/";
    private static final String REPEATING = "/tree/";
    private static final String FACETS = "/shop?";
    private static final String LOST = "/lost/";
    private static final String LABEL_START = "w";
    private static final String LETTERS_START = "x";

    private static final List<String> FILTERS =
            List.of("colour=red", "colour=blue", "size=s", "size=l", "sort=price", "view=grid");

    /**
     * @param label the subdomain label with its dot; empty for the host itself
     */
    record TrapLink(String label, String target) {}

    List<TrapLink> trapLinks(int host, int local) {
        if (local == 0) {
            return entryLinks(host);
        }
        return hosts.has(host, Trait.SOFT_404) && local < hosts.ordinaryPages(host)
                ? List.of(
                        new TrapLink(
                                "",
                                hasDisguisedTraps()
                                        ? disguisedTraps.missingPagePath(host, local)
                                        : LOST + local))
                : List.of();
    }

    private boolean hasDisguisedTraps() {
        return spec.has(Hazard.DISGUISED_TRAPS);
    }

    private List<TrapLink> entryLinks(int host) {
        var trapLinks =
                new ArrayList<>(
                        hasDisguisedTraps()
                                ? disguisedTraps.entryLinks(host)
                                : plainEntryLinks(host));
        if (hosts.has(host, Trait.SUBDOMAINS)) {
            var letters = hasDisguisedTraps() && host % 2 == 0;
            trapLinks.add(new TrapLink(letters ? LETTERS_START + "b." : LABEL_START + "1.", "/"));
        }
        return trapLinks;
    }

    private List<TrapLink> plainEntryLinks(int host) {
        var trapLinks = new ArrayList<TrapLink>();
        if (hosts.has(host, Trait.CALENDAR)) {
            trapLinks.add(new TrapLink("", CALENDAR + yearAndMonth(FIRST_MONTH)));
        }
        if (hosts.has(host, Trait.SESSION_IDS)) {
            trapLinks.add(new TrapLink("", SESSION + session(host) + "/1"));
        }
        if (hosts.has(host, Trait.REPEATING_PATHS)) {
            trapLinks.add(new TrapLink("", REPEATING));
        }
        if (hosts.has(host, Trait.FACETS)) {
            trapLinks.add(new TrapLink("", FACETS + FILTERS.getFirst()));
        }
        return trapLinks;
    }

    /** Returns the subdomain label, as in {@code w1.h001.site001.test}; otherwise empty. */
    static Optional<String> label(String name) {
        var label = name.substring(0, Math.max(0, name.indexOf('.')));
        return label.length() > 1 && label.length() <= 10 && isNumber(digits(label))
                ? Optional.of(label)
                : Optional.empty();
    }

    /** Returns the number of a label: {@code w12} and {@code xbc} are equal; empty for others. */
    private static String digits(String label) {
        if (label.startsWith(LABEL_START)) {
            return label.substring(1);
        }
        var digits = new StringBuilder();
        if (label.startsWith(LETTERS_START)) {
            label.chars().skip(1).forEach(c -> digits.append((char) (c - 'a' + '0')));
        }
        return digits.toString();
    }

    private static String formatLabel(long number, String like) {
        if (like.startsWith(LABEL_START)) {
            return LABEL_START + number;
        }
        var letters = new StringBuilder(LETTERS_START);
        Long.toString(number).chars().forEach(c -> letters.append((char) (c - '0' + 'a')));
        return letters.toString();
    }

    /**
     * @param target a target that is not a page
     */
    boolean contains(int host, String target) {
        return (hosts.has(host, Trait.SOFT_404) && !target.equals(RobotsFiles.ROBOTS_TXT))
                || (hasDisguisedTraps()
                        ? disguisedTraps.contains(host, target)
                        : isPlainTrap(host, target));
    }

    private boolean isPlainTrap(int host, String target) {
        return (hosts.has(host, Trait.CALENDAR) && month(target) >= 0)
                || (hosts.has(host, Trait.SESSION_IDS) && target.startsWith(SESSION))
                || (hosts.has(host, Trait.REPEATING_PATHS) && repeats(target))
                || (hosts.has(host, Trait.FACETS) && target.startsWith(FACETS));
    }

    WireResponse response(int host, String target) {
        if (hasDisguisedTraps()) {
            return disguisedTraps.response(host, target);
        }
        if (hosts.has(host, Trait.CALENDAR) && month(target) >= 0) {
            return calendar(month(target));
        }
        if (hosts.has(host, Trait.SESSION_IDS) && target.startsWith(SESSION)) {
            return session(target);
        }
        if (hosts.has(host, Trait.REPEATING_PATHS) && repeats(target)) {
            return page("The tree", List.of("tree/", "./"));
        }
        if (hosts.has(host, Trait.FACETS) && target.startsWith(FACETS)) {
            return facets(target);
        }
        return page("We looked everywhere", List.of("/"));
    }

    /** Returns the page of a subdomain, with links to two more. */
    WireResponse subdomain(String label, String host, String target) {
        if (!target.equals("/")) {
            return WireResponse.error(404);
        }
        var number = Long.parseLong(digits(label));
        // Numbers have fewer than ten digits, but each name still links to others.
        var left = (2 * number) % 1_000_000_000;
        var right = (2 * number + 1) % 1_000_000_000;
        return page(
                "Welcome to " + label,
                List.of(
                        "//" + formatLabel(left, label) + "." + host + "/",
                        "//" + formatLabel(right, label) + "." + host + "/"));
    }

    private static WireResponse calendar(int month) {
        return page(
                "Nothing happens in " + yearAndMonth(month),
                List.of(
                        CALENDAR + yearAndMonth(month + 1),
                        CALENDAR + yearAndMonth(Math.max(FIRST_MONTH, month - 1))));
    }

    private WireResponse session(String target) {
        var step = target.substring(target.lastIndexOf('/') + 1);
        var next = step.length() < 9 && isNumber(step) ? Integer.parseInt(step) + 1 : 1;
        var sid = session(target.hashCode());
        return page(
                "You are visitor " + sid,
                List.of(SESSION + sid + "/1", SESSION + sid + "/" + next));
    }

    /** Links to every filter that is not chosen yet. */
    private static WireResponse facets(String target) {
        var chosen = Arrays.asList(target.substring(FACETS.length()).split("&", -1));
        var links = new ArrayList<String>();
        for (var filter : FILTERS) {
            if (!chosen.contains(filter)) {
                links.add(target + "&" + filter);
            }
        }
        links.add(target + "&page=" + (chosen.size() + 1));
        return page("Things, filtered", links);
    }

    private static WireResponse page(String title, List<String> links) {
        var html = new StringBuilder("<!DOCTYPE html>\n<title>" + title + "</title>\n");
        html.append("<h1>").append(title).append("</h1>\n<p>More of the same.</p>\n");
        for (var link : links) {
            html.append("<a href=\"").append(link.replace("&", "&amp;")).append("\">more</a>\n");
        }
        return WireResponse.of(
                200, "text/html; charset=utf-8", html.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the months since the year 0, or -1 if the target is not a month of the calendar. */
    private static int month(String target) {
        var text = target.startsWith(CALENDAR) ? target.substring(CALENDAR.length()) : "";
        var dash = text.lastIndexOf('-');
        if (dash < 4 || dash > 7 || text.length() != dash + 3 || !isNumber(text.replace("-", ""))) {
            return -1;
        }
        var month = Integer.parseInt(text, dash + 1, text.length(), 10) - 1;
        return month < 0 || month > 11 ? -1 : Integer.parseInt(text, 0, dash, 10) * 12 + month;
    }

    private static String yearAndMonth(int month) {
        var year = Integer.toString(month / 12);
        var inYear = month % 12 + 1;
        return "0".repeat(Math.max(0, 4 - year.length()))
                + year
                + (inYear < 10 ? "-0" : "-")
                + inYear;
    }

    private static boolean repeats(String target) {
        return target.startsWith(REPEATING) && target.replace("tree/", "").equals("/");
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private String session(long subject) {
        var id = new SeededRandom(spec.seed(), SESSIONS, subject).nextLong();
        return HexFormat.of().toHexDigits(id);
    }
}
