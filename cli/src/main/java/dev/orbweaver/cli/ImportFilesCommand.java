package dev.orbweaver.cli;

import dev.orbweaver.config.ConfigException;
import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.imports.SourceSpec;
import dev.orbweaver.imports.crawls.CrawlImporter;
import dev.orbweaver.imports.crawls.HeritrixImporter;
import dev.orbweaver.imports.crawls.ScrapyImporter;
import dev.orbweaver.imports.crawls.SourceOpener;
import dev.orbweaver.internal.config.CrawlConfig;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

/** {@code orbweaver import scrapy} and {@code import heritrix}: import crawls from files. */
record ImportFilesCommand(Terminal terminal, Program program) implements Command {

    private static final String VISITED = "--visited";

    private enum Program {
        SCRAPY,
        HERITRIX
    }

    static CommandSpec scrapy(Terminal terminal) {
        var spec =
                new ImportFilesCommand(terminal, Program.SCRAPY)
                        .describe(
                                "scrapy",
                                "Import a list of URLs or a job directory of Scrapy.",
                                "A job directory has the queued requests, but only hashes of the"
                                        + " visited ones: name a feed of the crawl's items with"
                                        + " --visited.");
        spec.addPositional(
                Options.parameter(
                        0,
                        "FILE|JOBDIR",
                        "URLs to fetch: text, or JSON lines or CSV with the field url; or a"
                                + " JOBDIR"));
        spec.addOption(
                Options.text(
                        VISITED, "FILE", "URLs that were visited, in the same formats as FILE"));
        ImportCommand.addShared(spec);
        return spec;
    }

    static CommandSpec heritrix(Terminal terminal) {
        var spec =
                new ImportFilesCommand(terminal, Program.HERITRIX)
                        .describe(
                                "heritrix",
                                "Import a crawl from the directory of a Heritrix job.",
                                "Reads crawl.log, *.cdx and *.cdxj (visited URLs), and seeds.txt;"
                                    + " URLs that crawl.log lists as not reachable are queued.");
        spec.addPositional(Options.parameter(0, "DIR", "directory of the job or of its launch"));
        ImportCommand.addShared(spec);
        return spec;
    }

    @Override
    public int execute(ParseResult arguments)
            throws ConfigException, IOException, InterruptedException {
        return new ImportCommand(terminal, arguments).run(config -> open(arguments, config));
    }

    private CrawlImporter open(ParseResult arguments, CrawlConfig config) throws IOException {
        var input = Directories.parse(arguments.matchedPositionalValue(0, ""));
        var sources = sources(config);
        return switch (program) {
            case SCRAPY ->
                    new ScrapyImporter(
                            input,
                            arguments.hasMatchedOption(VISITED)
                                    ? Optional.of(
                                            Directories.parse(
                                                    arguments.matchedOptionValue(VISITED, "")))
                                    : Optional.empty(),
                            sources);
            case HERITRIX -> new HeritrixImporter(input, sources);
        };
    }

    /** Files only: nothing is fetched, and nothing is stored temporarily. */
    private static SourceOpener sources(CrawlConfig config) {
        var sources = new SeedSources(config, Path.of(""), InputStream.nullInputStream());
        return (type, file) -> {
            try {
                return sources.open(new SourceSpec(type, file.toString(), ""));
            } catch (ConfigException e) {
                throw new IOException(e.getMessage(), e);
            }
        };
    }
}
