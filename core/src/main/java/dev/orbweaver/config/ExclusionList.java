package dev.orbweaver.config;

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
 * A file of hosts to be left alone, a pattern a line: {@code example.com} for one host, {@code
 * *.example.com} for all below it, {@code .example.com} for both. A {@code #} begins a remark.
 */
public final class ExclusionList {

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    private ExclusionList() {}

    /** The patterns in a file; none when there is no such file. */
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
                                                        "%s, line %d: %s is not a host name, *.name or .name"
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
        var remark = line.indexOf('#');
        return (remark < 0 ? line : line.substring(0, remark)).strip();
    }

    /** A pattern as a person writes it: any case, any alphabet. */
    public static Optional<HostPattern> pattern(String text) {
        var name = text.startsWith("*.") ? text.substring(2) : text;
        var plain = name.startsWith(".") ? name.substring(1) : name;
        var port = plain.indexOf(':') >= 0 && !plain.startsWith("[");
        if (plain.isEmpty() || port || (text.startsWith("*.") && name.startsWith("."))) {
            return Optional.empty();
        }
        var before = text.substring(0, text.length() - plain.length());
        return URLS.parse("http://" + plain + "/")
                .filter(url -> url.authority().equals(url.host()) && url.pathAndQuery().equals("/"))
                .map(url -> HostPattern.of(before + url.host()));
    }

    /** Adds patterns to a file and takes others out; the remarks in it stay. */
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
