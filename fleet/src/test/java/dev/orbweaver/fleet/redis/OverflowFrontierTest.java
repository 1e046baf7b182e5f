package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.frontier.CommitBatch;
import dev.orbweaver.internal.frontier.Lease;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.ReleaseReason;
import dev.orbweaver.internal.frontier.TestFrontier;
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
 * The contract with every unclaimed URL in a file: after each call all queues are moved there. Of
 * the many calls of a long test, this is done after each of the first and then after some.
 */
@Slow
class OverflowFrontierTest implements FleetContract {

    @TempDir static Path directory;

    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.startBundled(directory.resolve("redis"));
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    public TestFrontier open(Politeness politeness, Instant now) {
        var settings =
                FleetFixtures.settings(redis.uri())
                        .withShards(1)
                        .withUrlsPerHost(30)
                        .withOverflowStore(
                                new OverflowStore.InFiles(directory.resolve("tails"), 0));
        return new AllSpilled(FleetFixtures.join(settings, politeness, now));
    }

    static final class AllSpilled extends TestFrontier {
        private static final int SPILLED_EACH = 100;
        private static final int SPILLED_SOME = 7;

        private final RedisFrontier fleet;
        private int calls;

        AllSpilled(RedisFrontier fleet) {
            super(fleet);
            this.fleet = fleet;
        }

        private void spill() {
            calls++;
            if (calls > SPILLED_EACH && calls % SPILLED_SOME != 0) {
                return;
            }
            try {
                fleet.spillAll();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void offer(JobId job, List<Candidate> candidates, Instant now) {
            super.offer(job, candidates, now);
            spill();
        }

        @Override
        public boolean release(Lease lease, ReleaseReason why, Instant now) {
            var released = super.release(lease, why, now);
            spill();
            return released;
        }

        @Override
        public int settle(CommitBatch commitBatch, Instant now) {
            var refused = super.settle(commitBatch, now);
            spill();
            return refused;
        }
    }
}
