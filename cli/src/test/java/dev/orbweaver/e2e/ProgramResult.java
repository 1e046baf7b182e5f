package dev.orbweaver.e2e;

import dev.orbweaver.testing.ProjectFiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the packaged program as a user would, from a folder of the test's own. */
record ProgramResult(int exit, String output) {

    /** The root of the checkout. */
    static final Path ROOT = ProjectFiles.ROOT;

    private static final int SECONDS_MAX = 90;

    static ProgramResult run(Path directory, List<String> command)
            throws IOException, InterruptedException {
        var file = Files.createTempFile("orbweaver-program", ".txt");
        var process =
                new ProcessBuilder(new ArrayList<>(command))
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(file.toFile())
                        .start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError(
                    "not done after " + SECONDS_MAX + " s: " + Files.readString(file));
        }
        var output = Files.readString(file, StandardCharsets.UTF_8);
        Files.delete(file);
        return new ProgramResult(process.exitValue(), output);
    }

    static ProgramResult launcher(Path directory, String... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(ROOT.resolve("orbweaver").toString()));
        command.addAll(List.of(arguments));
        return run(directory, command);
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
