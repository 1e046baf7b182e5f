package dev.orbweaver.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

class DirectoryLockTest {

    @TempDir Path directory;

    @Test
    void aDirectoryIsLockedOnceAndFreeAfterwards() throws IOException {
        var file = directory.resolve("lock");
        try (var lock = DirectoryLock.tryLock(file).orElseThrow()) {
            assertThat(lock).isNotNull();
            assertThat(DirectoryLock.tryLock(file)).isEmpty();
            assertThat(DirectoryLock.tryLock(file)).isEmpty(); // The query has not released it.
        }
        try (var again = DirectoryLock.tryLock(file).orElseThrow()) {
            assertThat(again).isNotNull();
        }
    }

    @Slow
    @Test
    void aLockDiesWithItsProcess() throws IOException, InterruptedException {
        var file = directory.resolve("lock");
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var child =
                new ProcessBuilder(
                                java,
                                "-cp",
                                System.getProperty("java.class.path"),
                                Holder.class.getName(),
                                file.toString())
                        .start();
        try (var output = child.inputReader()) {
            assertThat(output.readLine()).isEqualTo("locked");
            assertThat(DirectoryLock.tryLock(file)).isEmpty();
        } finally {
            child.destroyForcibly();
            assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        try (var lock = DirectoryLock.tryLock(file).orElseThrow()) {
            assertThat(lock).isNotNull();
        }
    }

    /** Acquires a lock and waits to be killed. */
    static final class Holder {

        private Holder() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            try (var lock = DirectoryLock.tryLock(Path.of(arguments[0])).orElseThrow()) {
                System.out.println(lock == null ? "" : "locked");
                Thread.sleep(60_000);
            }
        }
    }
}
