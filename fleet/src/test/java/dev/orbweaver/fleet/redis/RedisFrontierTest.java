package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/** The contract on one Redis and one shard, where hosts take turns as they do on one machine. */
@Slow
class RedisFrontierTest implements FleetContract {

    @TempDir static Path directory;

    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(directory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    public TestFrontier open(Politeness politeness, Instant now) {
        return new TestFrontier(
                FleetFixtures.join(
                        FleetFixtures.settings(redis.uri()).withShards(1), politeness, now));
    }
}
