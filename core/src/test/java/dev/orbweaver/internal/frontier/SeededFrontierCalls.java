package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.JobId;
import dev.orbweaver.model.Refusal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes the same calls in the same order for the same seed, of every kind that a frontier has. */
public final class SeededFrontierCalls {

    private final Random random;
    private final List<Lease> held = new ArrayList<>();
    private Instant now;
    private int urls;

    /** Creates a sequence of calls that begins at a time. */
    public SeededFrontierCalls(long seed, Instant start) {
        this.random = new Random(seed);
        this.now = start;
    }

    /** Makes the next call. */
    public void call(TestFrontier frontier) {
        now = now.plusMillis(random.nextInt(2000));
        switch (random.nextInt(9)) {
            case 0, 1 -> frontier.offer(new JobId(random.nextInt(2)), found(), now);
            case 2, 3 -> held.addAll(frontier.lease(1 + random.nextInt(3), now));
            case 4 -> frontier.setCrawlDelay(host(), Duration.ofMillis(random.nextInt(5000)));
            case 5 -> {
                var host = host();
                var _ =
                        frontier.requeueDeadLetters(
                                new JobId(random.nextInt(2)),
                                letter -> letter.url().host().equals(host),
                                now);
            }
            default -> end(frontier);
        }
    }

    private String host() {
        return "h" + random.nextInt(4) + ".example";
    }

    private List<Candidate> found() {
        var found = new ArrayList<Candidate>();
        for (var i = 0; i <= random.nextInt(4); i++) {
            var number = random.nextInt(5) == 0 ? 0 : ++urls;
            var url = Fixture.url("http://" + host() + "/%7E" + number);
            found.add(new Candidate(url, i == 0 ? Hop.SEED : Hop.LINK, random.nextInt(9), i));
        }
        return found;
    }

    private void end(TestFrontier frontier) {
        if (held.isEmpty()) {
            return;
        }
        var lease = held.remove(random.nextInt(held.size()));
        switch (random.nextInt(9)) {
            case 0 -> {
                held.add(lease);
                var _ = frontier.extend(lease, now.plusSeconds(1000));
            }
            case 1 -> {
                held.add(lease);
                var robots = Fixture.url("http://" + host() + "/robots.txt");
                var _ = frontier.passGates(lease, robots, Fixture.ip("192.0.2.1"), now);
            }
            case 2 -> {
                var _ = frontier.release(lease, new ReleaseReason.RobotsFetched(now), now);
            }
            case 3 -> {
                var until = now.plusSeconds(20);
                var _ =
                        frontier.release(
                                lease, new ReleaseReason.RobotsUnreachable(now, until), now);
            }
            default -> {
                var marks = List.of(new CommittedLength("pages.log", random.nextInt(1000), 7));
                var settlement =
                        new Settlement(
                                lease,
                                outcome(lease),
                                signal(),
                                random.nextInt(100),
                                found(),
                                Map.of(Refusal.SCOPE, random.nextInt(5)));
                var _ = frontier.settle(new CommitBatch(List.of(settlement), marks), now);
            }
        }
    }

    private Outcome outcome(Lease lease) {
        var respelled = lease.url().text().replace("%7E", "~");
        return switch (random.nextInt(5)) {
            case 0 -> new Outcome.Done(true, random.nextInt(100));
            case 1 -> new Outcome.Retry(now.plusSeconds(5), FailureCause.TIMEOUT);
            case 2 -> new Outcome.Dead(FailureCause.DNS);
            case 3 -> new Outcome.EquivalentRedirect(Fixture.url(respelled));
            default -> new Outcome.Withdrawn(Refusal.ROBOTS);
        };
    }

    private HostSignal signal() {
        return switch (random.nextInt(4)) {
            case 0 -> new HostSignal.NoRequest();
            case 1 -> new HostSignal.Healthy(now);
            case 2 -> new HostSignal.Failing(now);
            default -> new HostSignal.RateLimited(now, now.plusSeconds(7));
        };
    }
}
