package dev.orbweaver.cli;

import dev.orbweaver.config.Settings;
import dev.orbweaver.sinks.ExternalSinkExtension;

/** What the program has besides the crawler itself. */
final class Modules {

    static final Settings SETTINGS = Settings.CORE.with(new ExternalSinkExtension());

    private Modules() {}
}
