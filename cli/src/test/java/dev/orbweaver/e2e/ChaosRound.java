package dev.orbweaver.e2e;

import dev.orbweaver.internal.engine.LoopbackWeb;
import dev.orbweaver.internal.engine.StoredCrawl;
import dev.orbweaver.testkit.AuditReport;
import dev.orbweaver.testkit.AuditRules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * One crawl of one served web that lives through a list of troubles and then to its end, and is
 * judged from outside: against the web's truth, by readers of WARC that the crawl does not use, and
 * by the auditor on the serving side. Whatever is wrong becomes a sentence; none means well.
 */
final class ChaosRound {

    /**
     * Crawler, server and auditor share the machine with whatever else runs there, and the auditor
     * may note late that an answer has gone. A delay that is not kept at all shows all the same.
     *
     * <p>There is no delay per address here: it counts from request to request, and how long the
     * first of two lay in the server's socket before anybody looked, nobody can say. The simulation
     * judges those, where nothing is late.
     */
    private static final Duration ALLOWANCE = Duration.ofMillis(300);

    /** No life is meant to last so long; one that does hangs. */
    private static final Duration RUN_MAX = Duration.ofMinutes(5);

    private static final int FAULT_FREE_RUNS_MAX = 3;

    private static final List<String> SETTINGS =
            List.of(
                    "scope=any",
                    "allow-private=true",
                    "contact=chaos@example.org",
                    "delay-ip=0",
                    "timeout=4s",
                    "first-byte-timeout=2s",
                    "connect-timeout=2s",
                    "max-retries=3",
                    "retry-delay=50ms",
                    "error-backoff=10ms",
                    "max-idle-wait=3s",
                    "max-disk-wait=0",
                    "min-free-disk=0",
                    "max-warc-size=300KB");

    /** What opening after a death may say. */
    private static final Pattern EXPECTED =
            Pattern.compile(
                    "end: .*"
                            + "|WARNING: truncated \\d+ bytes of an incomplete frame at the end"
                            + " of .*"
                            + "|WARNING: truncating \\d+ uncommitted bytes of .*"
                            + "|WARNING: deleting .*, left over from an interrupted batch"
                            + "|WARNING: .*robots\\.log ends in \\d+ damaged bytes; .*"
                            + "|WARNING: .*robots\\.log has \\d+ entries that may be newer than .*"
                            + "|WARNING: .*digests\\.index is damaged; rebuilding it from the page"
                            + " log"
                            + "|INFO: reducing concurrency: .*");

    /** What a failing disk may say besides. */
    private static final Pattern DISK_ERRORS =
            Pattern.compile(
                    "disk: .*(No space left on device|Input/output error).*|disk: (could not close"
                        + " the frontier|frontier storage unavailable).*|WARNING: (could not flush"
                        + " or take a snapshot, retrying later|could not store leases, withholding"
                        + " them until the storage works|(frontier|output) storage unavailable"
                        + " \\(disk\\)|could not write the seen set, retrying later|could not write"
                        + " dead letters, retrying later|released the lease of .* in memory only(,"
                        + " could not store it)?|could not merge segments, retrying after the next"
                        + " snapshot|could not delete an unfinished merge|could not close the"
                        + " journal|could not store robots\\.txt of .*|could not read stored"
                        + " robots\\.txt of .*; fetching it again|could not compact"
                        + " .*robots\\.log|could not save .*\\.tsv; responses are recounted on the"
                        + " next start|could not open the digest index, storing every payload|could"
                        + " not grow the digest index, continuing with the old one|could not delete"
                        + " .*|could not delete .*; deleted on the next start): .*|WARNING: pausing"
                        + " requests, local storage failed: .*|WARNING: the summary cannot be"
                        + " written: .*|WARNING: could not store the response of .*: .*|INFO:"
                        + " (local )?storage is available again|SEVERE: (the committer failed; the"
                        + " crawl ends|the crawl loop failed)"
                            // A crawl that breaks off leaves its workers where they are.
                            + "|WARNING: Force-closing a channel whose registration task .*");

    private final LoopbackWeb web;
    private final Path directory;
    private final long seed;
    private final Duration delay;
    private final ChaosCounts counts;
    private final List<String> problems = new ArrayList<>();

    ChaosRound(LoopbackWeb web, Path directory, long seed, Duration delay, ChaosCounts counts) {
        this.web = web;
        this.directory = directory;
        this.seed = seed;
        this.delay = delay;
        this.counts = counts;
    }

    /** Lives all lives and then a calm one to the end; returns what is wrong with the outcome. */
    List<String> run(List<FaultyRun> lives) throws Exception {
        var exit = -1;
        for (var faultyRun : lives) {
            exit = runOnce(faultyRun);
        }
        for (var again = 0; exit != 0 && exit != 5; again++) {
            if (again == FAULT_FREE_RUNS_MAX) {
                throw new AssertionError("seed " + seed + " never ends: " + problems);
            }
            exit = runOnce(lives.getLast().withoutFaults());
        }
        if (counts.of("stops") > 0
                && exit == 5
                && !missing(ArchiveReader.open(directory)).isEmpty()) {
            // A process that slept through its timeouts may take a host's robots.txt for one that
            // cannot be had; it says that it waits for the host, and goes on when resumed later.
            var _ = runOnce(lives.getLast().hoursLater());
        }
        counts.add("rounds", 1);
        check();
        counts.add("complaints", problems.size());
        return problems;
    }

    private int runOnce(FaultyRun faultyRun) throws Exception {
        counts.add("lives", 1);
        faultyRun.faults().stream()
                .filter(fault -> !(fault instanceof Fault.Kill))
                .filter(fault -> !(fault instanceof Fault.Stop))
                .forEach(fault -> counts.add(fault.counter(), 1));
        var output = directory.resolveSibling("life.txt");
        var process =
                new ProcessBuilder(command(faultyRun))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.to(output.toFile()))
                        .start();
        try {
            signal(process, faultyRun);
            if (!process.waitFor(RUN_MAX.toSeconds(), TimeUnit.SECONDS)) {
                problems.add("hangs: " + faultyRun);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        check(faultyRun, process.exitValue(), Files.readAllLines(output, StandardCharsets.UTF_8));
        return process.exitValue();
    }

    /** Stops and kills, when so many requests have come and the process still lives. */
    private void signal(Process process, FaultyRun faultyRun) throws Exception {
        var at = web.auditor().requests() + faultyRun.requests();
        if ((!faultyRun.killed() && faultyRun.stopped().isEmpty()) || !runsUntil(process, at)) {
            return;
        }
        if (faultyRun.stopped().isPresent()) {
            send("-STOP", process);
            Thread.sleep(faultyRun.stopped().get());
            counts.add("stops", 1);
            if (!faultyRun.killed()
                    || faultyRun.requests() % 2 == 0) { // Half of them die in their sleep.
                send("-CONT", process);
                var _ = process.waitFor(faultyRun.requests() * 5L, TimeUnit.MILLISECONDS);
            }
        }
        if (faultyRun.killed()) {
            Thread.sleep(0, faultyRun.requests() * 4_000);
            process.destroyForcibly();
            counts.add("kills", 1);
        }
    }

    private boolean runsUntil(Process process, long requests) throws InterruptedException {
        while (web.auditor().requests() < requests) {
            if (process.waitFor(1, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return true;
    }

    private static void send(String signal, Process process) throws Exception {
        var kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
        if (kill.waitFor() != 0 && process.isAlive()) {
            throw new IOException("cannot send " + signal);
        }
    }

    private void check(FaultyRun faultyRun, int exit, List<String> said) {
        var asExpected = exit == 0 || exit == 5 || (exit == 137 && faultyRun.killed());
        if (!asExpected && !(exit == 4 && faultyRun.diskFails())) {
            problems.add("exit code %d of %s: %s".formatted(exit, faultyRun, said));
        }
        for (var line : said) {
            var known =
                    EXPECTED.matcher(line).matches()
                            || (faultyRun.diskFails() && DISK_ERRORS.matcher(line).matches());
            if (!known) {
                problems.add(faultyRun + " said: " + line);
            }
        }
    }

    private void check() throws Exception {
        var groundTruth = web.truth();
        var archiveReader = ArchiveReader.open(directory);
        var missing = missing(archiveReader);
        counts.add("pages", archiveReader.pages().size());
        counts.add("missing", missing.size());
        counts.add(
                "extra",
                archiveReader.pages().size() + missing.size() - groundTruth.pages().size());
        counts.add("doubled", archiveReader.recordedTwice().size());
        archiveReader
                .differences(groundTruth.pages())
                .forEach(url -> problems.add("wrong page: " + url));
        archiveReader
                .recordedTwice()
                .forEach((url, times) -> problems.add(url + " recorded " + times));
        problems.addAll(ArchiveConsistency.differences(directory, archiveReader));
        var _ = archiveReader.checkedResponses();
        archiveReader.validatorProblems().lines().forEach(line -> problems.add("jwarc: " + line));
        checkLedger(archiveReader);
        checkPoliteness();
    }

    private Set<String> missing(ArchiveReader archiveReader) {
        var missing = new HashSet<>(web.truth().pages());
        missing.removeAll(archiveReader.pages());
        return missing;
    }

    private void checkLedger(ArchiveReader archiveReader) throws Exception {
        var ledger = new StoredCrawl(directory, web.config()).stats().ledger();
        if (!ledger.balances() || ledger.pages() != archiveReader.pages().size()) {
            problems.add(
                    "ledger against %d pages: %s".formatted(archiveReader.pages().size(), ledger));
        }
    }

    private void checkPoliteness() {
        var audit =
                web.auditor()
                        .report(
                                new AuditRules(
                                        delay, Duration.ZERO, Duration.ZERO, 1, ALLOWANCE, true));
        var early = audit.earlyOnHost().size();
        var forbidden = audit.forbidden().size() + audit.beforeRobots().size();
        var stops = counts.of("stops");
        counts.add("requests", audit.requests());
        counts.add("fetchedAgain", again(audit));
        counts.add("forbidden", forbidden);
        // A process stopped between taking its turn and using it comes late, and the next request
        // after it seems early.
        counts.add("early", early);
        counts.add("earlyAllowedByStops", Math.min(early, stops));
        if (early > stops || forbidden > 0) {
            problems.add(stops + " stops, and: " + audit.json());
        }
    }

    private static long again(AuditReport audit) {
        return audit.repeated().values().stream().mapToLong(times -> times - 1).sum();
    }

    private List<String> command(FaultyRun faultyRun) {
        var command =
                ProgramJvm.command(
                        "dev.orbweaver.internal.engine.FaultInjectedCrawl",
                        "-Xmx128m",
                        "-Djava.util.logging.SimpleFormatter.format=%4$s: %5$s%n");
        command.addAll(List.of(directory.toString(), Long.toString(seed)));
        faultyRun.faults().forEach(fault -> fault.argument().ifPresent(command::add));
        command.addAll(List.of("--", web.hub(), "dns-server=" + web.nameServer()));
        command.add("delay=" + delay.toMillis() + "ms");
        command.addAll(SETTINGS);
        return command;
    }
}
