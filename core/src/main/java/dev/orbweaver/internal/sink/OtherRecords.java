package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Finds the records of other crawls that revisit records refer to.
 *
 * <p>A reference has the file and offset that the record had, and its line in the other crawl's
 * page log. A compaction writes records into files with new names and keeps their lines. So if the
 * file is missing, the line gives the current location.
 *
 * <p>The file {@link DirectoryLayout#OTHER_CRAWLS}, which users write, has the new directories of
 * crawls that were moved or restored, and the new paths of WARC and WACZ files.
 */
final class OtherRecords {

    static final String REMOTE = "s3://";

    /**
     * A record and the crawl that has it.
     *
     * @param location within the directory
     */
    record Found(Path directory, WarcLocation location) {}

    /** The record is in a remote store, which is not read. */
    static final class RemoteException extends IOException {
        private static final long serialVersionUID = 1;

        RemoteException(String message) {
            super(message);
        }
    }

    private OtherRecords() {}

    /**
     * Finds a record of the crawl in a directory, or of another crawl.
     *
     * @throws IOException if the other crawl is missing, saying what to do
     */
    static Found find(Path directory, WarcLocation place) throws IOException {
        if (!place.isElsewhere()) {
            return new Found(directory, place);
        }
        if (ArchiveFile.isPlace(place.crawl())) {
            return findInArchive(directory, place);
        }
        var crawl = directoryOf(directory, place);
        if (Files.exists(WarcFiles.find(crawl, place.warc()))) {
            return new Found(crawl, place.withinCrawl());
        }
        return new Found(crawl, WarcRewriter.location(line(crawl, place)));
    }

    private static Found findInArchive(Path directory, WarcLocation place) throws IOException {
        var file = Path.of(currentPlace(directory, place.crawl())).toAbsolutePath();
        if (!Files.exists(file)) {
            throw new IOException(
                    "a payload of this crawl is in %s, which is missing: put that file back, or write a line '%s, tab, new path' into %s"
                            .formatted(
                                    place.describe(),
                                    place.crawl(),
                                    directory.resolve(DirectoryLayout.OTHER_CRAWLS)));
        }
        return new Found(
                Objects.requireNonNull(file.getParent()),
                new WarcLocation(
                        String.valueOf(file.getFileName()), place.offset(), place.length()));
    }

    /** Returns the line of the record in the page log of the other crawl. */
    private static PageLogEntry line(Path crawl, WarcLocation place) throws IOException {
        var log = Compaction.currentLog(crawl);
        return PageLogLookup.find(log, Files.size(log), place.line())
                .filter(entry -> entry.isStored() && !entry.original().isElsewhere())
                .orElseThrow(
                        () ->
                                new IOException(
                                        "line %d of the page log of %s, which has a payload of this crawl, is missing: restore that crawl from a backup"
                                                .formatted(place.line(), crawl)));
    }

    /** Returns where the other crawl is now. */
    static Path directoryOf(Path directory, WarcLocation place) throws IOException {
        var given = currentPlace(directory, place.crawl());
        if (given.startsWith(REMOTE)) {
            throw new RemoteException(
                    "a payload of this crawl is only in %s, line %d of its page log: %s"
                            .formatted(given, place.line(), restoreHint(directory, place.crawl())));
        }
        var crawl = Path.of(given);
        if (!Files.exists(Compaction.currentLog(crawl))) {
            throw new IOException(
                    "a payload of this crawl is in line %d of the page log of %s, where no crawl is: put that crawl back, or write a line '%s, tab, new directory' into %s"
                            .formatted(
                                    place.line(),
                                    crawl,
                                    place.crawl(),
                                    directory.resolve(DirectoryLayout.OTHER_CRAWLS)));
        }
        return crawl;
    }

    private static String restoreHint(Path directory, String crawl) {
        return "restore it with 'orbweaver restore %s NEW_DIRECTORY' and write a line '%s, tab, NEW_DIRECTORY' into %s"
                .formatted(crawl, crawl, directory.resolve(DirectoryLayout.OTHER_CRAWLS));
    }

    /** Returns where a crawl is now that references name by an earlier place. */
    static String currentPlace(Path directory, String crawl) throws IOException {
        var file = directory.resolve(DirectoryLayout.OTHER_CRAWLS);
        if (!Files.exists(file)) {
            return crawl;
        }
        var number = 0;
        for (var line : Files.readString(file, UTF_8).lines().toList()) {
            number++;
            var tab = line.indexOf('\t');
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (tab < 0) {
                throw new IOException(
                        "%s, line %d: expected the place of a crawl, a tab and its new directory"
                                .formatted(file, number));
            }
            if (line.substring(0, tab).strip().equals(crawl)) {
                return directory.resolve(line.substring(tab + 1).strip()).toString();
            }
        }
        return crawl;
    }
}
