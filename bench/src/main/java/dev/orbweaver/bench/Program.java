package dev.orbweaver.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs of the system that benchmarks compare with. */
final class Program {

    private Program() {}

    /** Returns the launcher, which runs the program with its own options of the JVM. */
    static String orbweaver() {
        return Path.of(System.getProperty("orbweaver.root"), "orbweaver").toString();
    }

    /** Returns the path of a program; also searches where servers are that users do not start. */
    static String find(String name) throws IOException {
        return search(name)
                .orElseThrow(
                        () ->
                                new IOException(
                                        "no program '%s' was found; install it, in Debian with: apt-get install %s"
                                                .formatted(name, name)))
                .toString();
    }

    static boolean isInstalled(String name) {
        return search(name).isPresent();
    }

    private static Optional<Path> search(String name) {
        var path = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator);
        return Stream.concat(Arrays.stream(path), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
