package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.IDN;
import java.util.HashMap;
import java.util.Map;

/**
 * The public suffix list with its private section, matched by the algorithm of publicsuffix.org. An
 * exception rule wins, otherwise the rule with the most labels, otherwise the rule {@code *}.
 *
 * <p>The list is the resource {@code public_suffix_list.dat}, an unmodified copy under the Mozilla
 * Public License 2.0; NOTICE names its version. A test compares this class with crawler-commons,
 * which is not used here: its finder has no rule {@code *} for top-level domains that are not
 * listed and takes five times the CPU time to load.
 *
 * <p>Nothing is loaded until the first host is looked up, so that commands which look up none do
 * not pay for it.
 */
final class PublicSuffixList {

    private static final int EXACT = 1;
    private static final int WILDCARD = 2;
    private static final int EXCEPTION = 4;

    private static final String RESOURCE = "public_suffix_list.dat";

    /** The rules in ASCII, loaded with the class. */
    private static final PublicSuffixList ASCII = load(false);

    /**
     * All rules, loaded for the first host with an A-label: no other host can match the rest, and
     * converting those takes as long as loading everything else.
     */
    private static final class International {
        static final PublicSuffixList ALL = load(true);
    }

    private final Map<String, Integer> rules = HashMap.newHashMap(12_000);
    private int labelsMax = 1;

    private PublicSuffixList() {}

    private static PublicSuffixList load(boolean international) {
        var list = new PublicSuffixList();
        var bytes = read();
        for (var start = 0; start < bytes.length; start = endOfLine(bytes, start) + 1) {
            list.addLine(bytes, start, international);
        }
        return list;
    }

    private static byte[] read() {
        try (var stream = PublicSuffixList.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("the resource " + RESOURCE + " is missing");
            }
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("could not read the resource " + RESOURCE, e);
        }
    }

    private static int endOfLine(byte[] bytes, int start) {
        var end = start;
        while (end < bytes.length && bytes[end] != '\n') {
            end++;
        }
        return end;
    }

    /** A line is a comment, or a rule up to the first whitespace. */
    private void addLine(byte[] bytes, int start, boolean international) {
        var ascii = true;
        var end = start;
        while (end < bytes.length && (bytes[end] > ' ' || bytes[end] < 0)) {
            ascii &= bytes[end] > 0;
            end++;
        }
        if (end > start && bytes[start] != '/' && (ascii || international)) {
            add(new String(bytes, start, end - start, ascii ? ISO_8859_1 : UTF_8));
        }
    }

    static PublicSuffixList forHost(String host) {
        return host.contains("xn--") ? International.ALL : ASCII;
    }

    private void add(String rule) {
        rules.merge(name(rule), kind(rule), (a, b) -> a | b);
        var labels = 1;
        for (var dot = rule.indexOf('.'); dot >= 0; dot = rule.indexOf('.', dot + 1)) {
            labels++;
        }
        labelsMax = Math.max(labelsMax, labels);
    }

    private static int kind(String rule) {
        return switch (rule.charAt(0)) {
            case '*' -> WILDCARD;
            case '!' -> EXCEPTION;
            default -> EXACT;
        };
    }

    /** Returns a rule's name in A-labels. The JDK's tables are older than some of the letters. */
    private static String name(String rule) {
        var name =
                switch (kind(rule)) {
                    case WILDCARD -> rule.substring(2);
                    case EXCEPTION -> rule.substring(1);
                    default -> rule;
                };
        return Ascii.isAscii(name) ? name : IDN.toASCII(name, IDN.ALLOW_UNASSIGNED);
    }

    /**
     * Returns where the registrable domain of a host in A-labels starts; -1 for a public suffix.
     */
    int registrableStart(String host) {
        // A domain has one label more than its suffix, so no label further left can match.
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

    /** Whether a rule of the list, not the rule {@code *}, makes a host a public suffix. */
    boolean isListed(String host) {
        var kinds = kinds(host, 0);
        var dot = host.indexOf('.');
        return (kinds & EXCEPTION) == 0
                && ((kinds & EXACT) != 0 || (dot >= 0 && (kinds(host, dot + 1) & WILDCARD) != 0));
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
