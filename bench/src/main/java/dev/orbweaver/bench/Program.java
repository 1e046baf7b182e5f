package dev.orbweaver.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Programs of the system that benchmarks compare with. */
final class Program {

    private Program() {}

    /** Returns the path of a program; also searches where servers are that users do not start. */
    static String find(String name) throws IOException {
        var path = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator);
        return Stream.concat(Arrays.stream(path), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(
                        () ->
                                new IOException(
                                        "no program '%s' was found; install it, in Debian with: apt-get install %s"
                                                .formatted(name, name)))
                .toString();
    }
}
