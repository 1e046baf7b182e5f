package dev.orbweaver.imports.crawls;

import dev.orbweaver.imports.SourceType;
import dev.orbweaver.internal.seeds.SeedSource;

import java.io.IOException;
import java.nio.file.Path;

/** Opens a file as a source of URLs. */
public interface SourceOpener {

    SeedSource open(SourceType type, Path file) throws IOException;
}
