package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.frontier.OpenFrontier;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/** Opens the frontier of the crawl in a directory, which is locked by then. */
@FunctionalInterface
public interface FrontierFactory {
    OpenFrontier open(CrawlConfig config, Path directory, Instant now) throws IOException;
}
