package dev.orbweaver.internal.frontier.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.disk.SimulatedDisk;
import dev.orbweaver.internal.frontier.Fixture;
import dev.orbweaver.internal.frontier.Politeness;
import dev.orbweaver.internal.frontier.SeededFrontierCalls;
import dev.orbweaver.internal.frontier.TestFrontier;
import dev.orbweaver.testing.Fuzz;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A frontier's directory with one damaged file opens with the intact content of its files, or is
 * rejected with a message. This test does not depend on the file formats.
 */
@Slow
class FrontierFilesMutationTest {

    private static final Path DIRECTORY = Path.of("frontier");

    /** Each damaged file is worth a line in a log, but not thousands of them here. */
    private static final Logger LOG = Logger.getLogger("dev.orbweaver.internal.frontier.disk");

    @BeforeEach
    void logNothing() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void logAgain() {
        LOG.setLevel(Level.INFO);
    }

    @Test
    void aDamagedFileIsReadUpToTheDamageOrRefused() throws IOException {
        for (var closed : new boolean[] {false, true}) {
            var disk = written(closed);
            for (var file : disk.list(DIRECTORY)) {
                var samples = new ArrayList<byte[]>();
                samples.add(disk.read(file));
                Fuzz.ofBytes(
                                "frontier " + file.getFileName() + (closed ? " closed" : ""),
                                samples,
                                "\u0000",
                                "\u0000\u0000\u0000\u0000",
                                "\u007f",
                                "ORBFRNT",
                                "http://",
                                "\u0001")
                        .run((input, random) -> open(disk, file, input, random));
            }
        }
    }

    private static SimulatedDisk written(boolean closed) throws IOException {
        var disk = new SimulatedDisk();
        var frontier = TestFrontier.open(disk, DIRECTORY, Politeness.DEFAULT, Fixture.START);
        var script = new SeededFrontierCalls(7, Fixture.START);
        for (var i = 0; i < 40; i++) {
            script.call(frontier);
        }
        if (closed) {
            frontier.close();
        }
        return disk.afterCrash();
    }

    private static void open(SimulatedDisk disk, Path file, byte[] damaged, Random random)
            throws IOException {
        var copy = disk.afterCrash();
        copy.put(file, damaged);
        try {
            var later = Fixture.START.plusSeconds(random.nextInt(100_000) - 50_000);
            var frontier = TestFrontier.open(copy, DIRECTORY, Politeness.DEFAULT, later);
            assertThat(frontier.stats().ledger().balances()).isTrue();
            frontier.close();
        } catch (IOException refused) {
            assertThat(refused.getMessage()).contains(file.getFileName().toString());
        }
    }
}
