package dev.orbweaver.internal.directory;

import dev.orbweaver.internal.crawl.LocalStorage;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.SpillBuffer;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The files of a crawl that must not be moved while it runs. The page log represents all of them.
 *
 * @param logKey the file system's key of the page log; null if it has none
 */
public record CrawlStorage(
        Path directory, Path temporary, List<Path> directories, @Nullable Object logKey)
        implements LocalStorage {

    public static CrawlStorage of(Path directory, Path temporary) throws IOException {
        var directories =
                Stream.of(DirectoryLayout.WARC, DirectoryLayout.FRONTIER)
                        .map(directory::resolve)
                        .filter(Files::isDirectory)
                        .toList();
        return new CrawlStorage(directory, temporary, directories, fileKey(directory));
    }

    private static @Nullable Object fileKey(Path directory) throws IOException {
        return Files.readAttributes(
                        directory.resolve(DirectoryLayout.PAGE_LOG), BasicFileAttributes.class)
                .fileKey();
    }

    @Override
    public void check() throws IOException {
        try {
            if (!Objects.equals(fileKey(directory), logKey)) {
                throw missing(DirectoryLayout.PAGE_LOG);
            }
        } catch (NoSuchFileException e) {
            throw missing(DirectoryLayout.PAGE_LOG);
        }
        for (var needed : directories) {
            if (!Files.isDirectory(needed)) {
                throw missing(needed.getFileName() + "/");
            }
        }
    }

    private IOException missing(String what) {
        return new IOException(
                "%s of %s was deleted or replaced while the crawl was running: restore it, or start a new crawl"
                        .formatted(what, directory));
    }

    @Override
    public void repair() throws IOException {
        check();
        if (!Files.isDirectory(temporary)) {
            Files.createDirectory(temporary);
        }
        SpillBuffer.probe(temporary);
    }
}
