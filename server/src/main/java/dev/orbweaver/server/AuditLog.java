package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who has changed what, and who has tried to: one JSON object per line, in files that are rotated
 * by size.
 */
final class AuditLog {

    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    static final String FILE = "audit.log";
    static final long BYTES_MAX = 8L << 20;
    static final int FILES_MAX = 5;
    private static final int PATH_MAX = 300;

    /**
     * An event.
     *
     * @param caller the name of the token, or of the part of the service, such as schedule:1; empty
     *     if there was none
     * @param role of the token; empty if there was none
     */
    record Entry(
            Instant time,
            String caller,
            String role,
            String address,
            String method,
            String path,
            int status) {

        /** A change by the service itself, such as a schedule. */
        static Entry ofService(String caller, String method, String path, int status) {
            return new Entry(Instant.now(), caller, "", "", method, path, status);
        }

        Entry {
            path = path.length() <= PATH_MAX ? path : path.substring(0, PATH_MAX);
        }
    }

    private final Path directory;
    private final long bytesMax;
    private long bytes;

    /** Whether the last line has no end, because writing it failed or the process was killed. */
    private boolean torn;

    AuditLog(Path directory) throws IOException {
        this(directory, BYTES_MAX);
    }

    AuditLog(Path directory, long bytesMax) throws IOException {
        this.directory = directory;
        this.bytesMax = bytesMax;
        Files.createDirectories(directory);
        if (!Files.exists(file(0))) {
            create();
        }
        this.bytes = Files.size(file(0));
        this.torn = bytes > 0 && lastByte() != '\n';
    }

    private byte lastByte() throws IOException {
        try (var channel = FileChannel.open(file(0), StandardOpenOption.READ)) {
            var last = ByteBuffer.allocate(1);
            var _ = channel.read(last, bytes - 1);
            return last.get(0);
        }
    }

    private Path file(int number) {
        return directory.resolve(number == 0 ? FILE : FILE + "." + number);
    }

    /** Creates a file that only its owner can read. */
    private void create() throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            var _ =
                    Files.createFile(
                            file(0),
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
        } else {
            var _ = Files.createFile(file(0));
        }
    }

    /** Adds an event. A failure is logged: the call has happened already. */
    synchronized void add(Entry entry) {
        var json = JsonMapper.shared().writeValueAsString(entry) + "\n";
        try {
            if (!Files.exists(file(0)) || bytes + json.length() > bytesMax) {
                rotate();
            }
            var line = (torn ? "\n" + json : json).getBytes(UTF_8);
            torn = true;
            var _ = Files.write(file(0), line, StandardOpenOption.APPEND);
            torn = false;
            bytes += line.length;
        } catch (IOException e) {
            LOG.error("could not write the audit log: {}", json.strip(), e);
        }
    }

    /** Creates a new file. If that failed before, the others have been moved already. */
    private void rotate() throws IOException {
        if (Files.exists(file(0))) {
            moveAll();
        }
        create();
        bytes = 0;
        torn = false;
    }

    private void moveAll() throws IOException {
        for (var number = FILES_MAX - 1; number > 0; number--) {
            if (Files.exists(file(number - 1))) {
                Files.move(file(number - 1), file(number), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Returns the newest events, the newest first. */
    synchronized List<Entry> newest(int max) throws IOException {
        var entries = new ArrayList<Entry>();
        for (var number = 0; number < FILES_MAX && entries.size() < max; number++) {
            if (Files.exists(file(number))) {
                var lines = read(file(number)).reversed();
                lines.stream()
                        .flatMap(line -> parse(line).stream())
                        .limit(max - (long) entries.size())
                        .forEach(entries::add);
            }
        }
        return entries;
    }

    /** Reads all lines; a line that was cut may end within a character. */
    private static List<String> read(Path file) throws IOException {
        return new String(Files.readAllBytes(file), UTF_8).lines().toList();
    }

    /** Parses a line; one that was cut by a kill is left out. */
    private static Optional<Entry> parse(String line) {
        try {
            return Optional.of(JsonMapper.shared().readValue(line, Entry.class));
        } catch (JacksonException e) {
            LOG.debug("skipped a damaged line of the audit log", e);
            return Optional.empty();
        }
    }
}
