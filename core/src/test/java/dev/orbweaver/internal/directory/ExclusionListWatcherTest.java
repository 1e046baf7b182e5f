package dev.orbweaver.internal.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.frontier.FrontierUnavailableException;
import dev.orbweaver.internal.frontier.StorageProblem;
import dev.orbweaver.model.HostSet;
import dev.orbweaver.testing.Eventually;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

class ExclusionListWatcherTest {

    @TempDir Path directory;

    private final List<HostSet> applied = new CopyOnWriteArrayList<>();
    private final AtomicInteger outages = new AtomicInteger();

    private void exclude(HostSet hosts) {
        if (outages.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            var message = "connection refused";
            throw new FrontierUnavailableException(
                    new StorageProblem(StorageProblem.Storage.REDIS, message, true),
                    new IOException(message));
        }
        applied.add(hosts);
    }

    @Test
    void aListThatCouldNotBeAppliedIsAppliedWhenTheStorageIsBack() throws IOException {
        var file = directory.resolve("excluded-hosts.txt");
        try (var _ = new ExclusionListWatcher(List.of(file), this::exclude)) {
            assertThat(applied).hasSize(1); // No file, so no host.
            outages.set(1);
            Files.writeString(file, "a.example\n");
            Eventually.until(
                    "the list is applied",
                    () -> applied.size() == 2 && applied.getLast().contains("a.example"));
            assertThat(outages).hasValue(0);
        }
    }
}
