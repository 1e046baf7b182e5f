package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The script at the root, where it would not have to build first. */
class LauncherTest {

    private static final Path LAUNCHER = Path.of("orbweaver").toAbsolutePath();
    private static final Path JAR = Path.of("target", "orbweaver.jar");

    @TempDir Path folder;

    @BeforeEach
    void needsAJarThatIsUpToDate() throws IOException {
        assumeTrue(
                Files.exists(JAR) && !newer(Path.of("src", "main")) && !newer(Path.of("pom.xml")),
                "skipped: target/orbweaver.jar is not there or older than the sources");
    }

    private static boolean newer(Path sources) throws IOException {
        var built = Files.getLastModifiedTime(JAR);
        try (Stream<Path> files = Files.walk(sources)) {
            for (var file : files.toList()) {
                if (Files.getLastModifiedTime(file).compareTo(built) > 0) {
                    return true;
                }
            }
            return false;
        }
    }

    @Test
    void aMistakeIsOneLineAndNothingElse() throws Exception {
        var said = Console.process(folder, List.of(LAUNCHER.toString()), "crawl", "htp:/x");
        assertThat(said)
                .isEqualTo(
                        new Console(
                                2,
                                "",
                                "orbweaver: 'htp:/x' is not an http or https URL; write for"
                                        + " example https://example.com/\n"));
    }

    @Test
    void aCrawlRunsWithoutWarningsOfTheMachine() throws Exception {
        try (var site = new SmallSite()) {
            var said =
                    Console.process(
                            folder,
                            List.of(LAUNCHER.toString()),
                            "crawl",
                            site.url(),
                            "--delay=0",
                            "--contact=me@a.test");
            assertThat(said.err()).isEmpty();
            assertThat(said.code()).isZero();
            assertThat(said.out()).contains("3 pages");
        }
    }
}
