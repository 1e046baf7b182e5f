package dev.orbweaver.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The HTML files below a directory, in the order of their names. */
record PageCorpus(Path directory, List<Path> files) {

    static PageCorpus in(Path directory) throws IOException {
        try (var walk = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
            var files =
                    walk.filter(Files::isRegularFile).filter(PageCorpus::isPage).sorted().toList();
            if (files.isEmpty()) {
                throw new IllegalArgumentException("no .html files in " + directory);
            }
            return new PageCorpus(directory, files);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static boolean isPage(Path file) {
        var name = file.getFileName().toString();
        return name.endsWith(".html") || name.endsWith(".htm");
    }

    /** Returns the assumed URL of a file. */
    String address(Path file) {
        var path = directory.relativize(file).toString().replace('\\', '/').replace(" ", "%20");
        return "https://docs.example/" + path;
    }

    List<BenchPage> sample(long bytesMax) throws IOException {
        var total = 0L;
        for (var file : files) {
            total += Files.size(file);
        }
        var step = Math.max(1, Math.ceilDiv(total, bytesMax));
        var pages = new ArrayList<BenchPage>();
        for (var i = 0L; i < files.size(); i += step) {
            var file = files.get((int) i);
            pages.add(new BenchPage(address(file), Files.readAllBytes(file)));
        }
        return pages;
    }

    @SuppressWarnings("ArrayRecordComponent")
    record BenchPage(String address, byte[] bytes) {}
}
