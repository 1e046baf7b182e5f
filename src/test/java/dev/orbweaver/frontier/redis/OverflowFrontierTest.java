package dev.orbweaver.frontier.redis;

import dev.orbweaver.frontier.Batch;
import dev.orbweaver.frontier.Candidate;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.Lease;
import dev.orbweaver.frontier.PassingFrontier;
import dev.orbweaver.frontier.Pause;
import dev.orbweaver.frontier.Politeness;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * The contract with every URL that nobody holds in a file: after each call all queues are moved
 * there.
 */
@Slow
class OverflowFrontierTest implements FleetContract {

    @TempDir static Path folder;

    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.startBundled(folder.resolve("redis"));
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    public Frontier open(Politeness politeness, Instant now) {
        var settings =
                Fleets.settings(redis.uri())
                        .withShards(1)
                        .withUrlsPerHost(30)
                        .withLongTail(new LongTail.InFiles(folder.resolve("tails"), 0));
        return new AllSpilled(Fleets.join(settings, politeness, now));
    }

    static final class AllSpilled extends PassingFrontier {
        private final RedisFrontier fleet;

        AllSpilled(RedisFrontier fleet) {
            super(fleet);
            this.fleet = fleet;
        }

        private void spill() {
            try {
                fleet.spillAll();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void offer(JobId job, List<Candidate> candidates, Instant now) {
            inner.offer(job, candidates, now);
            spill();
        }

        @Override
        public boolean release(Lease lease, Pause why, Instant now) {
            var released = inner.release(lease, why, now);
            spill();
            return released;
        }

        @Override
        public int settle(Batch batch, Instant now) {
            var refused = inner.settle(batch, now);
            spill();
            return refused;
        }
    }
}
