import com.google.googlejavaformat.java.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs google-java-format over every source file: {@code Format check|fix ROOT}. The build runs it on the toolchain's JDK,
 * because the formatter's Maven plugins run inside Maven and cannot read Java 25 there.
 */
void main(String[] args) throws Exception {
    var files = new ArrayList<String>();
    try (var modules = Files.list(Path.of(args[1]))) {
        for (var module : modules.sorted().toList()) {
            collect(module.resolve("src"), files);
        }
    }
    collect(Path.of(args[1], "examples"), files);
    if (files.isEmpty()) {
        return;
    }
    var formatter = new Main(new PrintWriter(System.out, true), new PrintWriter(System.err, true), System.in);
    var options =
            args[0].equals("fix")
                    ? List.of("--aosp", "--replace")
                    : List.of("--aosp", "--dry-run", "--set-exit-if-changed");
    var arguments = Stream.concat(options.stream(), files.stream()).toArray(String[]::new);
    var status = formatter.format(arguments);
    if (args[0].equals("fix")) {
        status = formatter.format(arguments); // Breaking a long line can make room for joining others: the second pass settles.
    }
    if (status != 0) {
        System.err.println("The files above are not formatted; run: mvn -q -pl build process-sources -Dformat=fix");
    }
    System.exit(status);
}

private static void collect(Path directory, List<String> files) throws IOException {
    if (Files.isDirectory(directory)) {
        try (var walk = Files.walk(directory)) {
            walk.map(Path::toString).filter(name -> name.endsWith(".java")).sorted().forEach(files::add);
        }
    }
}
