package dev.orbweaver.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.e2e.ProgramJvm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The output and exit code of a command.
 *
 * @param out standard output
 * @param err standard error
 */
record CommandResult(int code, String out, String err) {

    /** Runs a command in this process. Tests of one JVM run one after the other. */
    static CommandResult run(String... arguments) {
        return runWithInput("", arguments);
    }

    static CommandResult runWithInput(String input, String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var systemIn = System.in;
        var systemOut = System.out;
        var systemErr = System.err;
        try {
            System.setIn(new ByteArrayInputStream(input.getBytes(UTF_8)));
            System.setOut(new PrintStream(out, true, UTF_8));
            System.setErr(new PrintStream(err, true, UTF_8));
            var code = Main.run(arguments);
            return new CommandResult(code, out.toString(UTF_8), err.toString(UTF_8));
        } finally {
            System.setIn(systemIn);
            System.setOut(systemOut);
            System.setErr(systemErr);
        }
    }

    /** Runs a command in its own process, in a directory. */
    static CommandResult process(Path directory, List<String> command, String... arguments)
            throws IOException, InterruptedException {
        var line = new ArrayList<>(command);
        line.addAll(List.of(arguments));
        var out = directory.resolve("out.txt").toFile();
        var err = directory.resolve("err.txt").toFile();
        var process =
                new ProcessBuilder(line)
                        .directory(directory.toFile())
                        .redirectOutput(out)
                        .redirectError(err)
                        .start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("no end after a minute: " + line);
        }
        return new CommandResult(
                process.exitValue(),
                Files.readString(out.toPath()),
                Files.readString(err.toPath()));
    }

    /** Returns the command line that runs Orbweaver with the class path of the tests. */
    static List<String> java() {
        return ProgramJvm.program();
    }
}
