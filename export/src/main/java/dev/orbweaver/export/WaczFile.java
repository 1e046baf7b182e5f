package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.Hashes;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

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
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The ZIP of a web archive, with a description that has the hash of every part. */
final class WaczFile implements AutoCloseable {

    private static final String DESCRIPTION = "datapackage.json";

    /** The same archive is the same file: entries have the oldest date that ZIP knows. */
    private static final LocalDateTime ZIP_DATE = LocalDateTime.of(1980, 1, 1, 0, 0);

    private final Path file;
    private final ZipOutputStream zip;
    private final ArrayNode resources = JsonMapper.shared().createArrayNode();

    /**
     * What the archive is.
     *
     * @param created when the last capture was made
     */
    record Description(String title, String mainUrl, Instant mainDate, Instant created) {}

    WaczFile(Path file) throws IOException {
        this.file = file;
        this.zip =
                new ZipOutputStream(
                        new BufferedOutputStream(
                                Files.newOutputStream(AtomicTextFile.unfinishedPath(file)),
                                1 << 16));
    }

    /** Adds a part as it is, so that a reader can seek in it. */
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

    /** Adds a part compressed. */
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
        var name = entry.getName();
        var resource = resources.addObject();
        resource.put("name", name.substring(name.lastIndexOf('/') + 1));
        resource.put("path", name);
        resource.put("hash", hash(sha256.digest()));
        resource.put("bytes", Files.size(part));
    }

    /** Adds the description and its own hash; the file takes its name. */
    void finish(Description description) throws IOException {
        var json = JsonMapper.shared().createObjectNode();
        json.put("profile", "data-package");
        json.put("wacz_version", "1.1.1");
        json.put("title", description.title());
        json.put("software", "Orbweaver");
        json.put("created", description.created().toString());
        if (!description.mainUrl().isEmpty()) {
            json.put("mainPageUrl", description.mainUrl());
            json.put("mainPageDate", description.mainDate().toString());
        }
        json.set("resources", resources);
        var text = json.toString().getBytes(UTF_8);
        text(DESCRIPTION, text);
        var digest = JsonMapper.shared().createObjectNode();
        digest.put("path", DESCRIPTION);
        digest.put("hash", hash(Hashes.sha256(text)));
        text("datapackage-digest.json", digest.toString().getBytes(UTF_8));
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
