package dev.orbweaver.sinks.s3;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.seeds.SeedList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The files of a crawl's seed lists. The frontier has positions in them, so they are listed after
 * its files were copied; lists only become more.
 */
final class SeedFiles {

    private static final Pattern CHANGING = Pattern.compile("[^.].*\\.(tsv|txt|json)");
    private static final Pattern UNCHANGING = Pattern.compile("[^.].*\\.(list|ref)");

    private SeedFiles() {}

    /**
     * A file of the seeds.
     *
     * @param name its name below the crawl's directory
     * @param userList the list, if the file is a user's, which may be gone or changed
     */
    record SeedFile(
            String name, Path file, long length, boolean changes, Optional<SeedList> userList) {}

    static List<SeedFile> of(Path crawl) throws IOException {
        var directory = crawl.resolve(DirectoryLayout.SEEDS);
        var all = new ArrayList<SeedFile>();
        if (Files.isDirectory(directory)) {
            try (var files = Files.list(directory)) {
                for (var file : files.sorted().toList()) {
                    var name = file.getFileName().toString();
                    var changes = CHANGING.matcher(name).matches() || SeedList.isAnnounced(name);
                    if (changes || UNCHANGING.matcher(name).matches()) {
                        all.add(
                                new SeedFile(
                                        crawl.relativize(file).toString(),
                                        file,
                                        Files.size(file),
                                        changes,
                                        Optional.empty()));
                    }
                }
            }
        }
        for (var list : SeedList.of(crawl)) {
            if (list.sha256().isPresent()) {
                all.add(
                        new SeedFile(
                                DirectoryLayout.SEEDS + "/" + list.restoredName(),
                                list.file(),
                                list.bytes(),
                                false,
                                Optional.of(list)));
            }
        }
        return all;
    }
}
