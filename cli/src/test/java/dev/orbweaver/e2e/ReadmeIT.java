package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** What the README promises, run. */
class ReadmeIT {

    @TempDir Path directory;

    @Test
    void theCommandsOfTheFirstScreenAreTheTwoThatMatter() throws IOException {
        assertThat(commands()).contains("./orbweaver demo", "mvn verify");
    }

    @Test
    void theDemoCommandCrawlsItsWebWithoutAnyNetwork() throws Exception {
        var demo = ProgramResult.launcher(directory, "demo");
        assertThat(demo.exit()).as(demo.output()).isZero();
        assertThat(demo.output())
                .contains("Complete")
                .contains("Try next")
                .doesNotContain("WARNING");
        assertThat(directory.resolve("demo/summary.json")).exists();
        assertThat(directory.resolve("demo/crawl.yaml")).exists();
        assertThat(directory.resolve("demo/crawl.log")).exists();
        var status = ProgramResult.launcher(directory, "status", "demo");
        assertThat(status.exit()).isZero();
        assertThat(status.output()).contains("complete");
    }

    @Test
    void everyOptionThatTheReadmeNamesExists() throws Exception {
        var help = ProgramResult.launcher(directory, "crawl", "--help").output();
        for (var command : commands()) {
            if (command.startsWith("./orbweaver crawl")) {
                Pattern.compile("--[a-z-]+")
                        .matcher(command)
                        .results()
                        .forEach(option -> assertThat(help).contains(option.group()));
            }
        }
    }

    /** The lines of the README's shell blocks. */
    private static List<String> commands() throws IOException {
        var readme = Files.readString(ProgramResult.ROOT.resolve("README.md"));
        return Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                .matcher(readme)
                .results()
                .flatMap(block -> Arrays.stream(block.group(1).split("\n", -1)))
                .map(line -> line.replaceFirst("\\s+#.*", "").strip())
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
