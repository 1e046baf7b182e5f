package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.config.Preset;
import dev.orbweaver.internal.config.SettingGroup;
import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

class HelpTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "crawl",
                "fetch",
                "map",
                "seed",
                "import",
                "docs",
                "resume",
                "export",
                "diff",
                "query",
                "status",
                "inspect",
                "why",
                "verify",
                "pages",
                "dead",
                "dead list",
                "dead retry",
                "exclude",
                "forget",
                "compact",
                "repair",
                "sink",
                "backup",
                "restore",
                "serve",
                "token",
                "token create",
                "token list",
                "token revoke",
                "worker",
                "fleet",
                "fleet pause",
                "fleet resume",
                "fleet stop",
                "fleet delete",
                "fleet seed",
                "fleet why",
                "import postgres",
                "demo",
                "help"
            })
    void everyCommandExplainsItself(String command) throws IOException {
        var said = CommandResult.run((command + " --help").split(" ", -1));
        assertThat(said.code()).isZero();
        assertThat(said.err()).isEmpty();
        Golden.check("cli/help-" + command.replace(' ', '-') + ".txt", said.out());
        assertThat(CommandResult.run(("help " + command).split(" ", -1))).isEqualTo(said);
    }

    @Test
    void theCommandHelpExplainsTheWholeAndRejectsOtherWords() {
        assertThat(CommandResult.run("help")).isEqualTo(CommandResult.run("--help"));
        var said = CommandResult.run("help", "dead", "lst");
        assertThat(said.code()).isEqualTo(2);
        assertThat(said.err())
                .isEqualTo(
                        "orbweaver: 'orbweaver dead' has no command 'lst'; 'orbweaver dead --help'"
                                + " lists its commands"
                                + System.lineSeparator());
    }

    @Test
    void theHelpOfDocsHasTheDefaultsOfItsPreset() {
        var help = CommandResult.run("docs", "--help").out().replaceAll("\\s+", " ");
        for (var setting : Preset.DOCUMENTATION.settings().entrySet()) {
            assertThat(help)
                    .containsPattern(
                            " --%s=((?! --[a-z]).)*\\(default: %s\\)"
                                    .formatted(setting.getKey(), setting.getValue()));
        }
    }

    @Test
    void theWholeExplainsItself() throws IOException {
        var said = CommandResult.run("--help");
        assertThat(said.code()).isZero();
        Golden.check("cli/help.txt", said.out());
    }

    @Test
    void exitCodesAreListedOnceInTheHelpOfTheProgram() {
        var help = CommandResult.run("--help").out();
        for (var code : ExitCode.values()) {
            assertThat(help).containsPattern("(?m)^ +" + code.code() + "  +\\S");
        }
        assertThat(CommandResult.run("crawl", "--help").out()).doesNotContain("Exit codes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"crawl", "docs"})
    void settingsAreListedUnderTheHeadingsOfTheirGroups(String command) {
        var help = CommandResult.run(command, "--help").out();
        var expected = Arrays.stream(SettingGroup.values()).map(SettingGroup::heading).toList();
        assertThat(help.lines().filter(line -> line.matches("[A-Z][a-z ]+:")))
                .containsSubsequence(expected.stream().map(heading -> heading + ":").toList());
        for (var setting : Modules.SETTINGS.all()) {
            if (CrawlCommand.isOption(setting)) {
                assertThat(help)
                        .containsPattern(
                                "(?s)\n"
                                        + setting.group().heading()
                                        + ":\n(?:(?!\n\n).)*--(no-)?"
                                        + setting.key()
                                        + "\\b");
            }
        }
    }

    @Test
    void noHelpIsWiderThanATerminal() throws IOException {
        try (var files = Files.list(Path.of("src", "test", "resources", "cli"))) {
            for (var file : files.filter(it -> it.toString().contains("help")).toList()) {
                assertThat(Files.readAllLines(file)).allMatch(line -> line.length() <= 80);
            }
        }
    }

    @Test
    void everySettingIsAnOption() {
        var help = CommandResult.run("crawl", "--help").out();
        for (var setting : Settings.CORE.all()) {
            if (CrawlCommand.isOption(setting)) {
                assertThat(help).containsPattern("--(no-)?" + setting.key() + "\\b");
            }
        }
    }

    @Test
    void theVersionIsPrinted() {
        assertThat(CommandResult.run("--version").out()).startsWith("orbweaver ");
    }

    @Test
    void aCommandLineBuildsTheOptionsOfItsOwnCommandOnly() {
        assertThat(Main.commandLine(Terminal.system(), "status", "out").getSubcommands())
                .containsOnlyKeys("status");
        assertThat(Main.commandLine(Terminal.system(), "help", "status").getSubcommands())
                .containsKeys("status", "crawl");
        assertThat(Main.commandLine(Terminal.system(), "craw").getSubcommands())
                .as("a mistyped command is compared with all")
                .containsKeys("status", "crawl");
    }
}
