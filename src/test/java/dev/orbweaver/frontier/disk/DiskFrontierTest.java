package dev.orbweaver.frontier.disk;

import dev.orbweaver.disk.RealDisk;
import dev.orbweaver.frontier.Frontier;
import dev.orbweaver.frontier.FrontierContract;
import dev.orbweaver.frontier.Politeness;

import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;

class DiskFrontierTest implements FrontierContract {

    @TempDir Path folder;

    @Override
    public Frontier open(Politeness politeness, Instant now) {
        try {
            return DiskFrontier.open(new RealDisk(), folder, politeness, now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
