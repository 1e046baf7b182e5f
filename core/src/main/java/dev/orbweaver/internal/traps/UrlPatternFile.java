package dev.orbweaver.internal.traps;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Reads and writes patterns as text, one per line, without their recent pages. Invalid lines are
 * skipped.
 */
final class UrlPatternFile {

    private static final Logger LOG = LoggerFactory.getLogger(UrlPatternFile.class);
    private static final String HEAD =
            "key\tkind\tbalance\trepeats\tvisits\tfound\tnames\twithheld\tpattern\tsamples\n";
    private static final int FIELDS = 9;

    private UrlPatternFile() {}

    static String write(List<UrlPattern> urlPatterns) {
        var out = new StringBuilder(HEAD);
        for (var urlPattern : urlPatterns) {
            out.append(HexFormat.of().toHexDigits(urlPattern.key)).append('\t');
            out.append(urlPattern.kind.name().toLowerCase(Locale.ROOT)).append('\t');
            out.append(urlPattern.balance).append('\t').append(urlPattern.repeats).append('\t');
            out.append(urlPattern.visits).append('\t').append(urlPattern.found).append('\t');
            out.append(HexFormat.of().toHexDigits(urlPattern.nameBits)).append('\t');
            out.append(urlPattern.withheld).append('\t').append(urlPattern.text);
            urlPattern.samples.forEach(url -> out.append('\t').append(url));
            out.append('\n');
        }
        return out.toString();
    }

    static List<UrlPattern> read(String text) {
        var urlPatterns = new ArrayList<UrlPattern>();
        for (var line : text.lines().skip(1).toList()) {
            try {
                urlPatterns.add(pattern(line.split("\t", -1)));
            } catch (IllegalArgumentException e) {
                LOG.warn("skipping an invalid line of the trap statistics: {}", line);
            }
        }
        return urlPatterns;
    }

    private static UrlPattern pattern(String[] fields) {
        if (fields.length < FIELDS) {
            throw new IllegalArgumentException(
                    "expected at least " + FIELDS + " fields, found " + fields.length);
        }
        var urlPattern =
                new UrlPattern(
                        HexFormat.fromHexDigitsToLong(fields[0]),
                        UrlPattern.Kind.valueOf(fields[1].toUpperCase(Locale.ROOT)));
        urlPattern.balance = Integer.parseInt(fields[2]);
        urlPattern.repeats = Integer.parseInt(fields[3]);
        urlPattern.visits = Integer.parseInt(fields[4]);
        urlPattern.found = Integer.parseInt(fields[5]);
        urlPattern.nameBits = HexFormat.fromHexDigitsToLong(fields[6]);
        urlPattern.withheld = Long.parseLong(fields[7]);
        urlPattern.text = fields[8];
        for (var i = FIELDS; i < fields.length; i++) {
            urlPattern.samples.add(fields[i]);
        }
        return urlPattern;
    }
}
