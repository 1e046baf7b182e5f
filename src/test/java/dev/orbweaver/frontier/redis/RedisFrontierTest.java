package dev.orbweaver.frontier.redis;

import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.Politeness;
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

    @TempDir static Path folder;

    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(folder);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    public Frontier open(Politeness politeness, Instant now) {
        return Fleets.join(Fleets.settings(redis.uri()).withShards(1), politeness, now);
    }
}
