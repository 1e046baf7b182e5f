package dev.orbweaver.imports;

import org.netpreserve.jwarc.ParsingException;

import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/** The URLs of a WACZ file: of its index or, if it has none, of its WARC files. */
record WaczSource(String description, String file) implements CaptureSource {

    private static final int ENTRIES_MAX = 100_000;

    @Override
    public void readCaptures(CaptureOutput out) throws IOException, InterruptedException {
        var path = InputFile.path(file);
        try (var zip = new ZipFile(path.toFile())) {
            var indexes = entries(zip, WaczSource::isIndex);
            var archives = entries(zip, WaczSource::isWarc);
            if (indexes.isEmpty() && archives.isEmpty()) {
                throw new SourceException(
                        file + " is not a WACZ file: it has neither an index nor a WARC file");
            }
            if (indexes.isEmpty()) {
                readArchives(zip, archives, out);
            } else {
                readIndexes(zip, indexes, out);
            }
        } catch (ZipException | EOFException e) {
            throw new SourceException(
                    "%s is not a WACZ file, or is damaged (%s)".formatted(file, e.getMessage()));
        }
    }

    private static List<? extends ZipEntry> entries(ZipFile zip, Predicate<String> names) {
        return zip.stream()
                .filter(entry -> names.test(entry.getName()))
                .limit(ENTRIES_MAX)
                .toList();
    }

    private static boolean isIndex(String name) {
        return name.startsWith("indexes/")
                && (name.endsWith(".cdx") || name.endsWith(".cdxj") || name.endsWith(".cdx.gz"));
    }

    private static boolean isWarc(String name) {
        return name.startsWith("archive/")
                && (name.endsWith(".warc")
                        || name.endsWith(".warc.gz")
                        || name.endsWith(".warc.zst"));
    }

    private static void readIndexes(
            ZipFile zip, List<? extends ZipEntry> indexes, CaptureOutput out)
            throws IOException, InterruptedException {
        for (var entry : indexes) {
            try (var in = InputFile.decompressed(zip.getInputStream(entry))) {
                CdxjSource.readCaptures(in, entry.getName(), out);
            }
        }
    }

    private static void readArchives(
            ZipFile zip, List<? extends ZipEntry> archives, CaptureOutput out)
            throws IOException, InterruptedException {
        for (var entry : archives) {
            try (var reader = WarcSource.reader(zip.getInputStream(entry), entry.getName())) {
                WarcSource.readCaptures(reader, entry.getName(), out);
            } catch (ParsingException e) {
                throw WarcSource.damaged(entry.getName(), e);
            }
        }
    }
}
