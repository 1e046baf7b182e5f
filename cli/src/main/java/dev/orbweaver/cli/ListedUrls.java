package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.internal.seeds.SeedListReader;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The URLs of a user's list, which accepts lines of the page log and knows which were found. */
final class ListedUrls implements Predicate<PageLogEntry> {

    private static final int NAMED_MAX = 5;

    private final String name;
    private final CrawlUrls urls;
    private final Set<Fingerprint> keys = new HashSet<>();
    private final Set<Fingerprint> found = new HashSet<>();

    private ListedUrls(String name, CrawlUrls urls) {
        this.name = name;
        this.urls = urls;
    }

    /**
     * Reads a file with a URL on each line; empty lines and those that begin with # are comments.
     */
    static ListedUrls read(String file, CrawlUrls urls) throws IOException {
        if (!Files.isReadable(Directories.parse(file))) {
            throw new UsageException("cannot read --urls %s".formatted(file));
        }
        var listed = new ListedUrls(file, urls);
        listed.forEach(url -> listed.keys.add(url.key()));
        return listed;
    }

    private void forEach(Consumer<CrawlUrl> visitor) throws IOException {
        var path = Directories.parse(name);
        try (var lines = new SeedListReader(path, 0)) {
            var bytes = Files.size(path);
            for (var number = 1L; lines.position() < bytes; number++) {
                var line = lines.next().strip();
                if (!line.isEmpty() && line.charAt(0) != '#') {
                    visitor.accept(url(line, number));
                }
            }
        }
    }

    private CrawlUrl url(String line, long number) {
        if (line.indexOf('\uFFFD') >= 0) {
            throw new UsageException(
                    "line %d of %s is not UTF-8 text; save the file as UTF-8"
                            .formatted(number, name));
        }
        return urls.parse(line)
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "'%s' in %s is not an http or https URL"
                                                .formatted(line, name)));
    }

    @Override
    public boolean test(PageLogEntry entry) {
        var url = urls.parse(entry.url()).filter(it -> keys.contains(it.key()));
        url.ifPresent(it -> found.add(it.key()));
        return url.isPresent();
    }

    /** Returns a sentence about the URLs that were not found, with the first of them. */
    Optional<String> missing() throws IOException {
        var count = keys.size() - found.size();
        if (count == 0) {
            return Optional.empty();
        }
        var first = new ArrayList<String>();
        forEach(
                url -> {
                    if (first.size() < NAMED_MAX
                            && !found.contains(url.key())
                            && !first.contains(url.text())) {
                        first.add(url.text());
                    }
                });
        return Optional.of(
                "the crawl has no response of %s of %s and does not visit them: %s%s; add new URLs with 'orbweaver seed'"
                        .formatted(
                                Numbers.count(count, "URL"),
                                name,
                                String.join(", ", first),
                                count > first.size() ? " and others" : ""));
    }
}
