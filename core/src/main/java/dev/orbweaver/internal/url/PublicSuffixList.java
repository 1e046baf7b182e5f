package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.UTF_8;

import crawlercommons.domains.EffectiveTldFinder;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.IDN;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The public suffix list with its private section, matched by the algorithm that publicsuffix.org
 * describes: an exception rule wins, else the rule with the most labels, else the rule {@code *}.
 *
 * <p>The list is the one crawler-commons carries, with {@link PublicSuffixAmendments}. The
 * library's own finder is the oracle in a test and not used here: it knows no rule {@code *} for
 * top-level domains that are not listed, takes no single rules, and takes five times the CPU time
 * to load (200 ms cold against 40).
 */
final class PublicSuffixList {

    private static final int EXACT = 1;
    private static final int WILDCARD = 2;
    private static final int EXCEPTION = 4;

    /** The rules that are all ASCII, loaded when the first host is asked about. */
    private static final PublicSuffixList ASCII = load(false);

    /**
     * All rules, loaded for the first host with an A-label: no other host can match the rest, and
     * converting it takes as long as loading everything else.
     */
    private static final class International {
        static final PublicSuffixList ALL = load(true);
    }

    private final Map<String, Integer> rules = HashMap.newHashMap(12_000);
    private int labelsMax = 1;

    private PublicSuffixList() {}

    private static PublicSuffixList load(boolean international) {
        var list = new PublicSuffixList();
        try (var lines = new BufferedReader(new InputStreamReader(open(), UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (isRule(line) && (international || Ascii.isAscii(line))) {
                    list.add(line.strip());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the public suffix list", e);
        }
        PublicSuffixAmendments.ADDED.lines().flatMap(PublicSuffixList::words).forEach(list::add);
        PublicSuffixAmendments.REMOVED
                .lines()
                .flatMap(PublicSuffixList::words)
                .forEach(list::remove);
        return list;
    }

    static PublicSuffixList forHost(String host) {
        return host.contains("xn--") ? International.ALL : ASCII;
    }

    private static boolean isRule(String line) {
        return !line.isEmpty() && line.charAt(0) > ' ' && line.charAt(0) != '/';
    }

    private static Stream<String> words(String line) {
        return Arrays.stream(line.strip().split(" ", -1));
    }

    private static InputStream open() throws IOException {
        var stream = EffectiveTldFinder.class.getResourceAsStream(EffectiveTldFinder.ETLD_DATA);
        if (stream == null) {
            throw new IOException("crawler-commons has no " + EffectiveTldFinder.ETLD_DATA);
        }
        return stream;
    }

    private void add(String rule) {
        rules.merge(name(rule), kind(rule), (a, b) -> a | b);
        var labels = 1;
        for (var dot = rule.indexOf('.'); dot >= 0; dot = rule.indexOf('.', dot + 1)) {
            labels++;
        }
        labelsMax = Math.max(labelsMax, labels);
    }

    private void remove(String rule) {
        rules.computeIfPresent(name(rule), (name, kinds) -> kinds & ~kind(rule));
    }

    private static int kind(String rule) {
        return switch (rule.charAt(0)) {
            case '*' -> WILDCARD;
            case '!' -> EXCEPTION;
            default -> EXACT;
        };
    }

    /** The rule's name in A-labels; the JDK's own tables are older than some of the letters. */
    private static String name(String rule) {
        var name =
                switch (kind(rule)) {
                    case WILDCARD -> rule.substring(2);
                    case EXCEPTION -> rule.substring(1);
                    default -> rule;
                };
        return Ascii.isAscii(name) ? name : IDN.toASCII(name, IDN.ALLOW_UNASSIGNED);
    }

    /** Where the registrable domain of a host in A-labels starts; -1 for a public suffix. */
    int registrableStart(String host) {
        // A domain has one label more than its suffix; no rule reaches further left than that.
        var before = -1;
        var start = startOfLastLabels(host, labelsMax + 1);
        if (start > 0) {
            before = start;
            start = host.indexOf('.', start) + 1;
        }
        while (true) {
            var kinds = kinds(host, start);
            var dot = host.indexOf('.', start);
            if ((kinds & EXCEPTION) != 0) {
                return start;
            }
            var wild = dot >= 0 && (kinds(host, dot + 1) & WILDCARD) != 0;
            if ((kinds & EXACT) != 0 || wild || dot < 0) {
                return before;
            }
            before = start;
            start = dot + 1;
        }
    }

    private int kinds(String host, int start) {
        return rules.getOrDefault(host.substring(start), 0);
    }

    private static int startOfLastLabels(String host, int labels) {
        var start = host.length() + 1;
        for (var i = 0; i < labels && start > 0; i++) {
            start = host.lastIndexOf('.', start - 2) + 1;
        }
        return start;
    }
}
