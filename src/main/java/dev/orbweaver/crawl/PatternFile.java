package dev.orbweaver.crawl;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * What was learned of patterns, as text: a line each, fields between tabs, for people too. Looks
 * are left out; the next pages bring them. A line that is none costs what it knew and nothing else.
 */
final class PatternFile {

    private static final Logger LOG = LoggerFactory.getLogger(PatternFile.class);
    private static final String HEAD =
            "key\tkind\tbalance\tdull\tvisits\tfound\tnames\twithheld\twhat\tsamples\n";
    private static final int FIELDS = 9;

    private PatternFile() {}

    static String write(List<Pattern> patterns) {
        var out = new StringBuilder(HEAD);
        for (var pattern : patterns) {
            out.append(HexFormat.of().toHexDigits(pattern.key)).append('\t');
            out.append(pattern.kind.name().toLowerCase(Locale.ROOT)).append('\t');
            out.append(pattern.balance).append('\t').append(pattern.dull).append('\t');
            out.append(pattern.visits).append('\t').append(pattern.found).append('\t');
            out.append(HexFormat.of().toHexDigits(pattern.names)).append('\t');
            out.append(pattern.withheld).append('\t').append(pattern.text);
            pattern.samples.forEach(url -> out.append('\t').append(url));
            out.append('\n');
        }
        return out.toString();
    }

    static List<Pattern> read(String text) {
        var patterns = new ArrayList<Pattern>();
        for (var line : text.lines().skip(1).toList()) {
            try {
                patterns.add(pattern(line.split("\t", -1)));
            } catch (IllegalArgumentException e) {
                LOG.warn("what was learned of a pattern cannot be read: {}", line);
            }
        }
        return patterns;
    }

    private static Pattern pattern(String[] fields) {
        if (fields.length < FIELDS) {
            throw new IllegalArgumentException(fields.length + " fields");
        }
        var pattern =
                new Pattern(
                        HexFormat.fromHexDigitsToLong(fields[0]),
                        Pattern.Kind.valueOf(fields[1].toUpperCase(Locale.ROOT)));
        pattern.balance = Integer.parseInt(fields[2]);
        pattern.dull = Integer.parseInt(fields[3]);
        pattern.visits = Integer.parseInt(fields[4]);
        pattern.found = Integer.parseInt(fields[5]);
        pattern.names = HexFormat.fromHexDigitsToLong(fields[6]);
        pattern.withheld = Long.parseLong(fields[7]);
        pattern.text = fields[8];
        for (var i = FIELDS; i < fields.length; i++) {
            pattern.samples.add(fields[i]);
        }
        return pattern;
    }
}
