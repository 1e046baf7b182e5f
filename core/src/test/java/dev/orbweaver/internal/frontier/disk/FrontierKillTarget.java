package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.HostSignal;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Outcome;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.Settlement;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;
import dev.orbweaver.model.CaptureRef;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Ledger;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The process that {@link FrontierKillLoop} kills: it only calls a frontier on disk. Each call is
 * printed on standard output before it is made ({@code ?}) and when it has returned ({@code !}).
 */
final class FrontierKillTarget {

    static final String END = " ;";

    private static final int HOSTS = 7;
    private static final int QUEUED_MAX = 3000;
    private static final Politeness POLITENESS =
            new Politeness(Duration.ZERO, Duration.ZERO, Duration.ZERO, 2, Duration.ofHours(10));
    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    /** Small, so that snapshots, segments, merges and tables are replaced all the time. */
    private static final DiskSettings SETTINGS =
            new DiskSettings(URLS, Durability.PROCESS, 6 << 10, 6 << 10, 50, true);

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final TestFrontier frontier;
    private final Random random;
    private final List<Lease> held = new ArrayList<>();
    private final List<Settlement> ended = new ArrayList<>();
    private long nextId;

    private FrontierKillTarget(TestFrontier frontier, long seed, long nextId) {
        this.frontier = frontier;
        this.random = new Random(seed);
        this.nextId = nextId;
    }

    /**
     * Arguments: directory, seed, first new id, "loop" or "drain", leases of the previous process.
     */
    public static void main(String[] args) throws IOException {
        var directory = Path.of(args[0]);
        var frontier =
                TestFrontier.open(new RealDisk(), directory, POLITENESS, SETTINGS, Instant.now());
        var loop =
                new FrontierKillTarget(frontier, Long.parseLong(args[1]), Long.parseLong(args[2]));
        loop.say(
                "!open"
                        + numbers(frontier.ledger(new JobId(0)))
                        + numbers(frontier.ledger(new JobId(1))));
        for (var i = 4; i < args.length; i++) {
            loop.settleOfEarlierProcess(args[i]);
        }
        if (args[3].equals("drain")) {
            loop.drain();
        } else {
            while (true) {
                loop.call();
            }
        }
    }

    private static String numbers(Ledger ledger) {
        if (!ledger.balances()) {
            throw new IllegalStateException("does not balance: " + ledger);
        }
        return " %d %d %d %d %d %d"
                .formatted(
                        ledger.accepted(),
                        ledger.queued(),
                        ledger.leased(),
                        ledger.done(),
                        ledger.dead(),
                        ledger.duplicate());
    }

    /** One write, so that the reader gets a complete line or detects that it did not. */
    private void say(String line) throws IOException {
        out.write((line + END + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static CrawlUrl url(long id) {
        return URLS.parse("http://h%d.example/some/path/%d".formatted(id % HOSTS, id))
                .orElseThrow();
    }

    private static String name(Lease lease) {
        var text = lease.url().text();
        return lease.token()
                + ":"
                + lease.job().number()
                + ":"
                + text.substring(text.lastIndexOf('/') + 1);
    }

    private void call() throws IOException {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> {
                if (frontier.ledger().queued() < QUEUED_MAX) {
                    offer(random.nextInt(6) == 0 ? 1 : 0);
                }
            }
            case 4, 5, 6, 7 -> lease(1 + random.nextInt(8));
            case 8 -> settleAgain();
            case 9 -> {
                if (random.nextInt(8) == 0) {
                    delete();
                }
            }
            default -> settle();
        }
    }

    private void offer(int job) throws IOException {
        var line = new StringBuilder("?offer " + job);
        var candidates = new ArrayList<Candidate>();
        for (var left = 1 + random.nextInt(30); left > 0; left--) {
            var id = random.nextInt(8) == 0 ? random.nextLong(nextId + 1) : nextId++;
            line.append(' ').append(id);
            candidates.add(new Candidate(url(id), Hop.LINK, random.nextInt(5), 0));
        }
        say(line.toString());
        frontier.offer(new JobId(job), candidates, Instant.now());
        say("!");
    }

    private void lease(int max) throws IOException {
        say("?lease");
        var leases = frontier.lease(max, Instant.now());
        held.addAll(leases);
        var line = new StringBuilder("!lease");
        leases.forEach(lease -> line.append(' ').append(name(lease)));
        say(line.toString());
    }

    private void settle() throws IOException {
        var line = new StringBuilder("?settle");
        var settlements = new ArrayList<Settlement>();
        while (!held.isEmpty() && settlements.size() < 10) {
            var lease = held.remove(random.nextInt(held.size()));
            var outcome = outcome();
            line.append(' ').append(name(lease)).append(':').append(outcomeId(outcome));
            settlements.add(Settlement.of(lease, outcome, new HostSignal.NoRequest()));
        }
        if (settlements.isEmpty()) {
            return;
        }
        say(line.toString());
        say("!settle " + frontier.settle(new CommitBatch(settlements, List.of()), Instant.now()));
        ended.addAll(settlements);
    }

    private Outcome outcome() {
        return switch (random.nextInt(10)) {
            case 0 -> new Outcome.Retry(Instant.now(), FailureCause.TIMEOUT);
            case 1, 2 -> new Outcome.Dead(FailureCause.DNS);
            default -> new Outcome.Done(true, 1);
        };
    }

    private static String outcomeId(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done _ -> "done";
            case Outcome.Dead _ -> "dead";
            default -> "again";
        };
    }

    /** A settled URL must be rejected from then on. */
    private void settleAgain() throws IOException {
        if (!ended.isEmpty()) {
            var old = ended.get(random.nextInt(ended.size()));
            say("?stale");
            say(
                    "!stale "
                            + frontier.settle(
                                    new CommitBatch(List.of(old), List.of()), Instant.now()));
        }
    }

    private void settleOfEarlierProcess(String lease) throws IOException {
        var words = lease.split(":", -1);
        var old =
                new Lease(
                        Long.parseLong(words[0]),
                        new JobId(Integer.parseInt(words[1])),
                        url(Long.parseLong(words[2])),
                        Hop.LINK,
                        0,
                        0,
                        false,
                        CaptureRef.NONE,
                        0,
                        Instant.now(),
                        Instant.now());
        var settlement = Settlement.of(old, new Outcome.Done(true, 1), new HostSignal.NoRequest());
        say("?stale");
        say(
                "!stale "
                        + frontier.settle(
                                new CommitBatch(List.of(settlement), List.of()), Instant.now()));
    }

    private void delete() throws IOException {
        say("?delete");
        frontier.deleteJob(new JobId(1), Instant.now());
        held.removeIf(lease -> lease.job().number() == 1);
        say("!");
    }

    private void drain() throws IOException {
        while (frontier.ledger().queued() + held.size() > 0) {
            lease(100);
            settle();
        }
        frontier.close();
        say("!drained");
    }
}
