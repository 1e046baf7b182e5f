package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.fleet.redis.SharedJobCache.Topic;
import dev.orbweaver.model.JobId;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;

/** Cache entries in a real Redis. */
@Slow
class SharedJobCacheTest {

    private static final JobId JOB = new JobId(1);
    private static final String ORIGIN = "http://a}{b.test\r\nFLUSHALL";
    private static final byte[] NOTE = "note\r\n\0".getBytes(UTF_8);

    @TempDir private static Path directory;
    private static RedisProcess redis;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start(directory);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static FleetSettings settings(String fleet) {
        return FleetSettings.of(redis.uri(), fleet, "one");
    }

    private static SharedJobCache open(FleetSettings settings) throws IOException {
        return SharedJobCache.open(settings, InstantSource.system());
    }

    @Test
    void aNoteIsFoundByOthersOnTheSameJobAndMatterOnly() throws IOException {
        try (var mine = open(settings("board"));
                var theirs = open(settings("board").withWorker("two"));
                var strangers = open(settings("other"))) {
            mine.put(JOB, Topic.ROBOTS, ORIGIN, NOTE, Duration.ofMinutes(1));
            assertThat(theirs.get(JOB, Topic.ROBOTS, ORIGIN)).contains(NOTE);
            assertThat(theirs.get(new JobId(2), Topic.ROBOTS, ORIGIN)).isEmpty();
            assertThat(theirs.get(JOB, Topic.ADDRESSES, ORIGIN)).isEmpty();
            assertThat(theirs.get(JOB, Topic.ROBOTS, "http://a")).isEmpty();
            assertThat(strangers.get(JOB, Topic.ROBOTS, ORIGIN)).isEmpty();
        }
    }

    @Test
    void aNoteGoesWhenItsTimeIsOver() throws IOException {
        try (var sharedJobCache = open(settings("brief"))) {
            sharedJobCache.put(JOB, Topic.ADDRESSES, "a.test", NOTE, Duration.ofMillis(50));
            while (sharedJobCache.get(JOB, Topic.ADDRESSES, "a.test").isPresent()) {
                LockSupport.parkNanos(5_000_000);
            }
            sharedJobCache.put(JOB, Topic.ADDRESSES, "b.test", NOTE, Duration.ZERO);
            assertThat(sharedJobCache.get(JOB, Topic.ADDRESSES, "b.test")).isEmpty();
        }
    }

    @Test
    void aLongNoteIsNotLeft() throws IOException {
        try (var sharedJobCache = open(settings("long"))) {
            sharedJobCache.put(JOB, Topic.ROBOTS, ORIGIN, new byte[100_000], Duration.ofMinutes(1));
            assertThat(sharedJobCache.get(JOB, Topic.ROBOTS, ORIGIN)).isEmpty();
        }
    }

    /** Redis itself uses more than a megabyte. */
    @Test
    void whereRedisHasLittleRoomNoNotesAreLeft(@TempDir Path tails) throws IOException {
        var narrow =
                settings("narrow").withOverflowStore(new OverflowStore.InFiles(tails, 1 << 20));
        try (var sharedJobCache = open(narrow)) {
            sharedJobCache.put(JOB, Topic.ROBOTS, ORIGIN, NOTE, Duration.ofMinutes(1));
            assertThat(sharedJobCache.get(JOB, Topic.ROBOTS, ORIGIN)).isEmpty();
        }
    }
}
