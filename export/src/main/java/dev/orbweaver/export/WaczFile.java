package dev.orbweaver.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

import dev.orbweaver.internal.archive.Hashes;

import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes the ZIP file of a web archive, with a description that has the hash of every part. */
final class WaczFile implements AutoCloseable {

    private static final String DESCRIPTION = "datapackage.json";

    /** All entries have the earliest ZIP date, so that equal archives are identical files. */
    private static final LocalDateTime ZIP_DATE = LocalDateTime.of(1980, 1, 1, 0, 0);

    private final Path file;
    private final ZipOutputStream zip;
    private final List<Resource> resources = new ArrayList<>();

    /**
     * The metadata of the archive.
     *
     * @param created the time of the last capture
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    record Description(
            String title,
            String software,
            Instant created,
            Optional<String> mainPageUrl,
            Optional<Instant> mainPageDate) {}

    private record DataPackage(
            String profile,
            @JsonProperty("wacz_version") String version,
            @JsonUnwrapped Description description,
            List<Resource> resources) {}

    private record Resource(String name, String path, String hash, long bytes) {}

    private record PackageDigest(String path, String hash) {}

    WaczFile(Path file) throws IOException {
        this.file = file;
        this.zip =
                new ZipOutputStream(
                        new BufferedOutputStream(
                                Files.newOutputStream(AtomicTextFile.unfinishedPath(file)),
                                1 << 16));
    }

    /** Adds an uncompressed part, so that a reader can seek in it. */
    void store(String name, Path part) throws IOException {
        var crc = new CRC32();
        try (var out = new CheckedOutputStream(OutputStream.nullOutputStream(), crc)) {
            var _ = Files.copy(part, out);
        }
        var entry = entry(name);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(Files.size(part));
        entry.setCompressedSize(Files.size(part));
        entry.setCrc(crc.getValue());
        add(entry, part);
    }

    /** Adds a compressed part. */
    void deflate(String name, Path part) throws IOException {
        add(entry(name), part);
    }

    private static ZipEntry entry(String name) {
        var entry = new ZipEntry(name);
        entry.setTimeLocal(ZIP_DATE);
        return entry;
    }

    private void add(ZipEntry entry, Path part) throws IOException {
        var sha256 = Hashes.sha256();
        zip.putNextEntry(entry);
        try (InputStream in = new DigestInputStream(Files.newInputStream(part), sha256)) {
            var _ = in.transferTo(zip);
        }
        zip.closeEntry();
        var path = entry.getName();
        var name = path.substring(path.lastIndexOf('/') + 1);
        resources.add(new Resource(name, path, hash(sha256.digest()), Files.size(part)));
    }

    /** Adds the description and its hash, and renames the file to its final name. */
    void finish(Description description) throws IOException {
        var json = new DataPackage("data-package", "1.1.1", description, resources);
        var text = JsonMapper.shared().writeValueAsBytes(json);
        text(DESCRIPTION, text);
        var digest = new PackageDigest(DESCRIPTION, hash(Hashes.sha256(text)));
        text("datapackage-digest.json", JsonMapper.shared().writeValueAsBytes(digest));
        zip.close();
        Files.move(AtomicTextFile.unfinishedPath(file), file, StandardCopyOption.REPLACE_EXISTING);
    }

    private void text(String name, byte[] text) throws IOException {
        zip.putNextEntry(entry(name));
        zip.write(text);
        zip.closeEntry();
    }

    private static String hash(byte[] digest) {
        return "sha256:" + HexFormat.of().formatHex(digest);
    }

    @Override
    public void close() throws IOException {
        zip.close();
        Files.deleteIfExists(AtomicTextFile.unfinishedPath(file));
    }
}
