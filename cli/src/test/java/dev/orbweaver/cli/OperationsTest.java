package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.ProjectFiles;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Whether the commands and exit codes in docs/operations.md are right. */
@Slow
class OperationsTest {

    private static final Path DOCS = ProjectFiles.of("docs", "operations.md");

    @TempDir Path directory;

    private static String section(String heading) throws IOException {
        var text = Files.readString(DOCS);
        var from = text.indexOf(heading);
        assertThat(from).as(heading).isNotNegative();
        var to = text.indexOf("\n## ", from + 1);
        return text.substring(from, to < 0 ? text.length() : to);
    }

    @Test
    void theThreeWorkedCommandsWorkAsTheyStand() throws IOException {
        var commands =
                Pattern.compile("```sh\n\\./orbweaver ([^\n]+)\n```")
                        .matcher(section("## Three crawls"))
                        .results()
                        .map(found -> found.group(1))
                        .toList();
        assertThat(commands).hasSize(3);
        try (var site = new SmallSite()) {
            var hosts = Files.writeString(directory.resolve("hosts.txt"), site.url() + "\n");
            for (var command : commands) {
                var out = directory.resolve("out" + commands.indexOf(command));
                var said = CommandResult.run(line(command, site.url(), hosts, out));
                assertThat(said.code()).as("%s: %s", command, said.err()).isZero();
                assertThat(said.out()).as(command).contains("Complete", "3 pages");
            }
        }
    }

    /** Returns the command with paths that exist in the test. */
    private static String[] line(String command, String url, Path hosts, Path out) {
        var words = new ArrayList<>(List.of(command.split(" ", -1)));
        words.replaceAll(
                word ->
                        switch (word) {
                            case "https://example.com/" -> url;
                            case "hosts.txt" -> hosts.toString();
                            case "big", "many", "small" -> out.toString();
                            default -> word;
                        });
        assertThat(words).contains(out.toString());
        words.add("--allow-private"); // The site is on this machine, and a file opens no address.
        return words.toArray(String[]::new);
    }

    @Test
    void everyStateThatIsNamedExists() throws IOException {
        var text = Files.readString(DOCS);
        var words = Arrays.stream(ExitCode.values()).map(ExitCode::code).toList();
        Pattern.compile("exit code (\\d+)")
                .matcher(text)
                .results()
                .forEach(it -> assertThat(words).contains(Integer.parseInt(it.group(1))));
    }
}
