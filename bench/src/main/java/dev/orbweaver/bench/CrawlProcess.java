package dev.orbweaver.bench;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.PageLog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A crawl in a separate process, and access to its output. */
final class CrawlProcess {

    private final List<String> command;
    private final Path directory;

    /**
     * @param more further options, separated by spaces
     */
    CrawlProcess(WebProcess web, Path directory, String heap, String more) {
        this(web, directory, heap, List.of(more.split(" ")));
    }

    CrawlProcess(WebProcess web, Path directory, String heap, List<String> more) {
        this.directory = directory;
        this.command = WebProcess.java("-Xmx" + heap, "dev.orbweaver.cli.Main");
        command.addAll(arguments(web, directory));
        command.addAll(more);
    }

    /** Returns the arguments of a crawl of the whole web into a directory. */
    static List<String> arguments(WebProcess web, Path directory) {
        return List.of(
                "crawl",
                web.hub(),
                "--scope",
                "any",
                "--out",
                directory.toString(),
                "--dns-server",
                web.nameServer(),
                "--allow-private",
                "--contact",
                "bench@example.org");
    }

    Process start() throws IOException {
        return start(Map.of());
    }

    Process start(Map<String, String> environment) throws IOException {
        var builder =
                new ProcessBuilder(new ArrayList<>(command))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.to(log().toFile()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Path log() {
        return directory.resolveSibling(directory.getFileName() + ".out");
    }

    double figure(String name) throws IOException {
        var summary = Files.readString(directory.resolve(DirectoryLayout.REPORT));
        var matcher = Pattern.compile("\"" + name + "\" : ([0-9.E]+)").matcher(summary);
        if (!matcher.find()) {
            throw new IOException("no " + name + " in " + directory);
        }
        return Double.parseDouble(matcher.group(1));
    }

    void log(PageLog.EntryVisitor visitor) throws IOException {
        PageLog.read(directory.resolve(DirectoryLayout.PAGE_LOG), visitor);
    }

    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (var files = Files.walk(directory)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
