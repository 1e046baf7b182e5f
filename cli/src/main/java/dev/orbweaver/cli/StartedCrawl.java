package dev.orbweaver.cli;

import dev.orbweaver.cli.ErrorReporter.UsageException;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.internal.frontier.FrontierStats;
import dev.orbweaver.model.Refusal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A crawl that was started before, and is started again with settings that may differ.
 *
 * @param wanted the settings of this start
 */
record StartedCrawl(Path directory, CrawlConfig wanted) {

    /**
     * Announces that the crawl is resumed. If it ended without a page because its URLs failed, they
     * are tried again: a user repeats such a command after correcting its cause.
     */
    void prepareRestart(Terminal terminal) throws ConfigException, IOException {
        var changes = changes();
        requireProspect();
        terminal.printError(
                "resuming the crawl in %s with %s"
                        .formatted(
                                directory,
                                changes.isEmpty()
                                        ? "the same settings"
                                        : "changed settings: "
                                                + String.join(", ", changes)
                                                + "; links that were refused stay refused"));
        if (!StoredCrawl.isRunning(directory) && endedWithoutPage(crawl().stats())) {
            var retried = crawl().retryDeadLetters(_ -> true);
            if (retried > 0) {
                terminal.printError(
                        "%s that failed %s tried again"
                                .formatted(
                                        Numbers.count(retried, "URL"),
                                        retried == 1 ? "is" : "are"));
            }
        }
    }

    /** Fails if changed settings cannot help, because the crawl has refused all its URLs. */
    void requireProspect() throws ConfigException, IOException {
        if (changes().isEmpty() || StoredCrawl.isRunning(directory)) {
            return;
        }
        var stats = crawl().stats();
        if (endedWithoutPage(stats)
                && stats.ledger().dead() == 0
                && stats.ledger().withdrawn() > 0) {
            throw new UsageException(
                    "the crawl in %s has refused all its URLs (%s), and URLs that were refused stay refused; start again with another --out, or delete the directory first"
                            .formatted(
                                    directory,
                                    Numbers.breakdown(stats.refusedByReason(), Refusal::id)));
        }
    }

    private static boolean endedWithoutPage(FrontierStats stats) {
        var ledger = stats.ledger();
        return ledger.done() == 0 && ledger.queued() + ledger.leased() == 0;
    }

    private List<String> changes() throws ConfigException {
        return wanted.settingValues()
                .changesSince(
                        StoredCrawl.open(directory, Modules.SETTINGS).config().settingValues());
    }

    private StoredCrawl crawl() {
        return new StoredCrawl(directory, wanted);
    }
}
