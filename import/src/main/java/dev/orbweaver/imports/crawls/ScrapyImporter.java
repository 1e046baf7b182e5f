package dev.orbweaver.imports.crawls;

import dev.orbweaver.imports.SourceException;
import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.seeds.SeedSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a crawl of Scrapy: a list of URLs to fetch, or the queue of requests in a job directory
 * ({@code JOBDIR}). What was visited comes from a feed of items with the field {@code url}: the job
 * directory has only hashes of it, in {@code requests.seen}.
 */
public final class ScrapyImporter implements CrawlImporter {

    static final String QUEUE = "requests.queue";

    private final Path input;
    private final Optional<Path> visited;
    private final SourceOpener sources;

    /**
     * @param input a file of URLs or a job directory
     * @param visited a file of URLs that were visited
     */
    public ScrapyImporter(Path input, Optional<Path> visited, SourceOpener sources) {
        this.input = input.toAbsolutePath().normalize();
        this.visited = visited.map(file -> file.toAbsolutePath().normalize());
        this.sources = sources;
    }

    @Override
    public String source() {
        return "Scrapy " + input + visited.map(file -> ", visited " + file).orElse("");
    }

    @Override
    public List<Part> parts() throws IOException {
        var parts = new ArrayList<Part>();
        if (visited.isPresent()) {
            parts.add(new SourcePart("visited", open(visited.get()), true));
        }
        if (!Files.isDirectory(input)) {
            parts.add(new SourcePart("urls", open(input), false));
            return parts;
        }
        var queue = input.resolve(QUEUE);
        if (!Files.isDirectory(queue)) {
            throw new SourceException(
                    "%s has no %s; name the JOBDIR of a Scrapy crawl that was stopped, or a file of URLs"
                            .formatted(input, QUEUE));
        }
        parts.add(new ScrapyQueue("requests", queue));
        return parts;
    }

    /** The name tells the format; a feed of items has the URL in the field {@code url}. */
    private SeedSource open(Path file) throws IOException {
        var name = file.getFileName().toString().replaceFirst("\\.gz$", "");
        var type =
                switch (name.substring(name.lastIndexOf('.') + 1)) {
                    case "jsonl", "jl", "jsonlines" -> SourceType.JSONL;
                    case "csv" -> SourceType.CSV;
                    default -> SourceType.TXT;
                };
        return sources.open(type, file);
    }

    @Override
    public void close() {}
}
