package dev.orbweaver.program;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the packaged program as a user would, from a folder of the test's own. */
record Program(int exit, String output) {

    /** The root of the checkout. */
    static final Path ROOT = Path.of("").toAbsolutePath();

    private static final int SECONDS_MAX = 90;

    static Program run(Path folder, List<String> command) throws IOException, InterruptedException {
        var file = Files.createTempFile("orbweaver-program", ".txt");
        var process =
                new ProcessBuilder(new ArrayList<>(command))
                        .directory(folder.toFile())
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
        return new Program(process.exitValue(), output);
    }

    static Program launcher(Path folder, String... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(ROOT.resolve("orbweaver").toString()));
        command.addAll(List.of(arguments));
        return run(folder, command);
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
