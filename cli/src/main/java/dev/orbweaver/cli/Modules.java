package dev.orbweaver.cli;

import dev.orbweaver.export.ExportExtension;
import dev.orbweaver.imports.SeedSources;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.sinks.ExternalSinkExtension;

/** The extensions that the program adds to the crawler. */
final class Modules {

    static final Settings SETTINGS =
            Settings.CORE
                    .with(new ExternalSinkExtension())
                    .with(SeedSources.extension())
                    .with(new ExportExtension());

    private Modules() {}
}
