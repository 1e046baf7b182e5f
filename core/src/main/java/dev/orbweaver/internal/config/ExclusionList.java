package dev.orbweaver.internal.config;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.HostPattern;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A file of excluded hosts, one pattern per line: {@code example.com} for one host, {@code
 * *.example.com} for its subdomains, {@code .example.com} for both. A {@code #} starts a comment.
 */
public final class ExclusionList {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    private ExclusionList() {}

    /** Reads the patterns of a file; none if the file does not exist. */
    public static List<HostPattern> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        var patterns = new ArrayList<HostPattern>();
        var number = 0;
        for (var line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            number++;
            var text = stripComment(line);
            if (!text.isEmpty()) {
                var where = number;
                patterns.add(
                        pattern(text)
                                .orElseThrow(
                                        () ->
                                                new IOException(
                                                        "%s, line %d: %s is not a host pattern; expected NAME, *.NAME or .NAME"
                                                                .formatted(
                                                                        file,
                                                                        where,
                                                                        CheckedValues.quote(
                                                                                text)))));
            }
        }
        return patterns;
    }

    private static String stripComment(String line) {
        var comment = line.indexOf('#');
        return (comment < 0 ? line : line.substring(0, comment)).strip();
    }

    /** Parses a pattern in any letter case; international names are converted to ASCII. */
    public static Optional<HostPattern> pattern(String text) {
        var name = text.startsWith("*.") ? text.substring(2) : text;
        var plain = name.startsWith(".") ? name.substring(1) : name;
        var port = plain.indexOf(':') >= 0 && !plain.startsWith("[");
        if (plain.isEmpty()
                || port
                || plain.startsWith(".")
                || plain.indexOf('*') >= 0
                || (text.startsWith("*.") && name.startsWith("."))) {
            return Optional.empty();
        }
        var before = text.substring(0, text.length() - plain.length());
        return URLS.parse("http://" + plain + "/")
                .filter(url -> url.authority().equals(url.host()) && url.pathAndQuery().equals("/"))
                .map(url -> HostPattern.of(before + url.host()));
    }

    /** Adds patterns to a file and removes others; comments are preserved. */
    public static void change(Path file, Set<HostPattern> added, Set<HostPattern> removed)
            throws IOException {
        var lines = new ArrayList<String>();
        var missing = new LinkedHashSet<>(added);
        if (Files.exists(file)) {
            for (var line : AtomicFile.withoutChecksum(Files.readString(file)).lines().toList()) {
                var pattern = pattern(stripComment(line));
                if (pattern.filter(removed::contains).isEmpty()) {
                    lines.add(line);
                }
                pattern.ifPresent(missing::remove);
            }
        }
        missing.forEach(pattern -> lines.add(pattern.toString()));
        AtomicFile.write(
                new RealDisk(), file, lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
    }
}
