package dev.orbweaver.cli;

import dev.orbweaver.internal.config.CrawlConfig;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.engine.CrawlFindings;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.CrawlReport;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Ledger;
import dev.orbweaver.model.Refusal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Explains the end of a crawl: why there are no pages, and what the user can do. */
final class EndNotes {

    private static final Logger LOG = LoggerFactory.getLogger(EndNotes.class);
    private static final int URLS_SHOWN = 3;
    private static final int TEXT_MAX = 160;

    private EndNotes() {}

    /** Returns lines that explain a crawl without pages, or with pages that have no content. */
    static List<String> of(CrawlReport report, Path directory, CrawlConfig config) {
        try {
            var findings = new CrawlFindings(directory, config);
            if (report.pages() == 0) {
                return withoutPages(report, findings.withoutPage(URLS_SHOWN));
            }
            var lines = new ArrayList<>(traps(report, directory));
            if (findings.needsScripts()) {
                lines.add(
                        "The pages have scripts and almost no text: they seem to need JavaScript,");
                lines.add("which Orbweaver does not run.");
            }
            return lines;
        } catch (IOException e) {
            LOG.warn("could not read the first pages of {}: {}", directory, e.toString());
            return List.of();
        }
    }

    /** Returns what to do when regular pages were given up as a crawler trap. */
    private static List<String> traps(CrawlReport report, Path directory) {
        var urls = report.failedByCause().getOrDefault(FailureCause.TRAP.id(), 0L);
        return urls == 0
                ? List.of()
                : List.of(
                        "%s %s given up as a crawler trap; %s has examples. For regular pages:"
                                .formatted(
                                        Numbers.count(urls),
                                        urls == 1 ? "URL was" : "URLs were",
                                        DirectoryLayout.TRAPS),
                        CommandHint.of("dead", "retry", directory, "--cause", "trap"),
                        CommandHint.of("resume", directory, "--set", "traps=off"));
    }

    private static List<String> withoutPages(CrawlReport report, List<PageLogEntry> first) {
        var lines = new ArrayList<String>();
        first.forEach(entry -> lines.add(shorten(entry.url()) + ": " + outcome(entry)));
        var more = report.ledger().accepted() - first.size();
        if (!first.isEmpty() && more > 0) {
            lines.add("and " + Numbers.count(more) + " more");
        }
        first.stream()
                .map(EndNotes::advice)
                .flatMap(Optional::stream)
                .distinct()
                .forEach(lines::add);
        return lines;
    }

    private static String outcome(PageLogEntry entry) {
        return switch (entry.kind()) {
            case REDIRECT ->
                    "status %d, redirect to %s"
                            .formatted(entry.status(), shorten(entry.location()));
            case PAGE, ERROR, SITEMAP, ROBOTS -> "status " + entry.status();
            case FAILED, RETRIED, WITHDRAWN ->
                    entry.cause()
                            + (entry.detail().isEmpty() ? "" : ": " + shorten(entry.detail()));
        };
    }

    private static Optional<String> advice(PageLogEntry entry) {
        if (entry.cause().equals(Refusal.ADDRESS.id())) {
            return Optional.of(
                    "Private addresses need --allow-private, link-local ones --allow-addresses.");
        }
        if (entry.cause().equals(Refusal.ROBOTS.id())) {
            return Optional.of("robots.txt disallows it; --robots decides whether that counts.");
        }
        if (entry.cause().equals(FailureCause.TLS.id())) {
            return Optional.of("--insecure accepts any certificate.");
        }
        return Optional.empty();
    }

    private static String shorten(String text) {
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX) + "...";
    }

    /** Returns the command that continues a crawl, if it would find something to do. */
    static Optional<String> resumeCommand(String reason, Ledger ledger, Path directory) {
        if (ledger.queued() + ledger.leased() == 0) {
            return Optional.empty();
        }
        var limits = List.of(CrawlEnd.Reason.MAX_PAGES.id(), CrawlEnd.Reason.MAX_BYTES.id());
        return Optional.of(
                "to continue: "
                        + CommandHint.of("resume", directory)
                        + (limits.contains(reason) ? " --set " + reason + "=none" : ""));
    }
}
