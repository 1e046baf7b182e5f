package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.config.Settings;
import dev.orbweaver.testing.Golden;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;

class HelpTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "crawl",
                "docs",
                "resume",
                "export",
                "diff",
                "query",
                "status",
                "inspect",
                "why",
                "dead",
                "dead list",
                "dead retry",
                "forget",
                "compact",
                "repair",
                "sink",
                "restore",
                "serve",
                "worker",
                "fleet",
                "demo"
            })
    void everyCommandExplainsItself(String command) throws IOException {
        var said = CommandResult.run((command + " --help").split(" ", -1));
        assertThat(said.code()).isZero();
        assertThat(said.err()).isEmpty();
        Golden.check("cli/help-" + command.replace(' ', '-') + ".txt", said.out());
    }

    @Test
    void theWholeExplainsItself() throws IOException {
        var said = CommandResult.run("--help");
        assertThat(said.code()).isZero();
        Golden.check("cli/help.txt", said.out());
    }

    @Test
    void everyExitCodeIsListedByEveryCommand() {
        for (var command : new String[] {"crawl", "resume", "status", "inspect", "dead", "demo"}) {
            var help = CommandResult.run(command, "--help").out();
            for (var code : ExitCode.values()) {
                assertThat(help).containsPattern("(?m)^ +" + code.code() + "  +\\w");
            }
        }
    }

    @Test
    void everySettingIsAnOption() {
        var help = CommandResult.run("crawl", "--help").out();
        for (var setting : Settings.CORE.all()) {
            assertThat(help).containsPattern("--(no-)?" + setting.key() + "\\b");
        }
    }

    @Test
    void theVersionIsPrinted() {
        assertThat(CommandResult.run("--version").out()).startsWith("orbweaver ");
    }
}
