package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.config.Settings;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Findings;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The files of a crawl's directory: its page log, what is damaged, copies. */
final class CrawlFiles {

    private CrawlFiles() {}

    static List<PageLogEntry> entries(Path crawl) throws IOException {
        var entries = new ArrayList<PageLogEntry>();
        PageLog.read(crawl.resolve(DirectoryLayout.PAGE_LOG), entries::add);
        return entries;
    }

    /** Returns what a verification finds to be damaged. */
    static List<String> damages(Path crawl) throws IOException {
        var damages = new ArrayList<String>();
        Verification.run(
                crawl,
                Settings.CORE,
                new Findings() {
                    @Override
                    public void damage(Path file, long offset, String what) {
                        damages.add(file + ": " + what);
                    }

                    @Override
                    public void note(Path file, String what) {}

                    @Override
                    public void checked(long bytes) {}
                });
        return damages;
    }

    static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (var file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    static void delete(Path place) throws IOException {
        try (var files = Files.walk(place)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
