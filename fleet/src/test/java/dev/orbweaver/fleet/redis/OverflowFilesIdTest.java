package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The file by which workers detect that they share a directory for long queues. */
class OverflowFilesIdTest {

    @TempDir private Path directory;

    @RepeatedTest(20)
    void workersThatStartAtTheSameMomentAgree() throws Exception {
        var workers = 8;
        var start = new CyclicBarrier(workers);
        try (var threads = Executors.newFixedThreadPool(workers)) {
            var calls = new ArrayList<Callable<String>>();
            for (var i = 0; i < workers; i++) {
                calls.add(
                        () -> {
                            start.await(10, TimeUnit.SECONDS);
                            return OverflowFiles.id(directory);
                        });
            }
            var ids = new HashSet<String>();
            for (var id : threads.invokeAll(calls)) {
                ids.add(id.get());
            }
            assertThat(ids).hasSize(1).doesNotContain("");
        }
    }

    @Test
    void aFileWhoseLineIsNotYetCompleteIsWaitedFor() throws Exception {
        var file = Files.writeString(directory.resolve("id"), "");
        try (var writer = Executors.newSingleThreadScheduledExecutor()) {
            var written =
                    writer.schedule(
                            () -> Files.writeString(file, "this-fleet\n"),
                            200,
                            TimeUnit.MILLISECONDS);
            assertThat(OverflowFiles.id(directory)).isEqualTo("this-fleet");
            assertThat(written.get()).exists();
        }
    }
}
