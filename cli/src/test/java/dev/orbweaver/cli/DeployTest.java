package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;

import tools.jackson.dataformat.yaml.YAMLMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Checks that every command in deploy/ exists; the files themselves are not run. */
class DeployTest {

    private static final Path DEPLOY = ProjectFiles.of("deploy");
    private static final Pattern COMMAND =
            Pattern.compile("/opt/orbweaver/orbweaver (worker[^\"\n]*)");

    private static List<String> commands(String file) throws IOException {
        var commands = new ArrayList<String>();
        var matcher = COMMAND.matcher(Files.readString(DEPLOY.resolve(file)));
        while (matcher.find()) {
            commands.add(matcher.group(1));
        }
        assertThat(commands).as(file).isNotEmpty();
        return commands;
    }

    @Test
    void theCommandsAreKnownWithTheirOptions() throws IOException {
        for (var file : List.of("compose.yaml", "orbweaver-worker@.service")) {
            for (var command : commands(file)) {
                var parsed =
                        Main.commandLine(Terminal.system())
                                .parseArgs(command.strip().split(" +", -1));
                assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("worker");
                assertThat(parsed.subcommand().unmatched()).isEmpty();
            }
        }
    }

    @Test
    void theComposeFileIsYamlWithTheServicesThatItSpeaksOf() throws IOException {
        var tree = new YAMLMapper().readTree(Files.readString(DEPLOY.resolve("compose.yaml")));
        var services = new ArrayList<String>();
        tree.path("services").propertyNames().forEach(services::add);
        assertThat(services).containsExactly("redis", "mongodb", "worker");
        for (var service : tree.path("services")) {
            for (var volume : service.path("volumes")) {
                assertThat(tree.path("volumes").has(volume.asString().split(":", 2)[0])).isTrue();
            }
        }
    }

    @Test
    void theUnitHasAllSectionsAndNoLineThatIsNone() throws IOException {
        var lines = Files.readAllLines(DEPLOY.resolve("orbweaver-worker@.service"));
        assertThat(lines).contains("[Unit]", "[Service]", "[Install]");
        assertThat(lines).allMatch(line -> line.matches("|#.*|\\[\\w+]|[A-Z]\\w+=.+"));
    }
}
