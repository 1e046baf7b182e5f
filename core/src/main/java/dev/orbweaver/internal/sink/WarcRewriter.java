package dev.orbweaver.internal.sink;

import dev.orbweaver.internal.disk.AppendFile;
import dev.orbweaver.internal.disk.ChecksummedFile;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.model.CommittedLength;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rewrites WARC files without some captures and returns the new lines of the page log. Lines must
 * be passed in order, which is also the order of the records.
 */
final class WarcRewriter implements AutoCloseable {

    private static final Pattern NAME = Pattern.compile("^(.*-\\d{5,9})(?:-(\\d+))?(\\.warc.*)$");

    private final Disk disk;
    private final Path directory;
    private final RecordCopier copier;
    private final RewritePlan rewritePlan;

    /** The new locations of records that others refer to. */
    private final Map<WarcLocation, WarcLocation> newLocations = new HashMap<>();

    private final List<CommittedLength> written = new ArrayList<>();
    private String source = "";
    private long headLength;
    private @Nullable ChecksummedFile out;
    private String outName = "";

    /**
     * @param removed the records to remove
     * @param changed the files that must be rewritten
     * @param revisitTargets the records that revisits refer to
     */
    record RewritePlan(
            Set<WarcLocation> removed, Set<String> changed, Set<WarcLocation> revisitTargets) {}

    WarcRewriter(Disk disk, Path directory, RewritePlan rewritePlan) {
        this.disk = disk;
        this.directory = directory;
        this.rewritePlan = rewritePlan;
        this.copier = new RecordCopier(directory);
    }

    /**
     * Returns the line of a capture that is kept.
     *
     * @param end where its records end
     */
    PageLogEntry rewriteKept(PageLogEntry entry, long end) throws IOException {
        if (!rewritePlan.changed.contains(entry.warc())) {
            return entry.withLocation(location(entry), original(entry));
        }
        startSource(entry);
        var file = outputFile();
        var to = new AppendChannel(file);
        var offset = file.length();
        var length = entry.length();
        var original = original(entry);
        if (rewritePlan.removed.contains(entry.original())) {
            length = copier.expandRevisit(location(entry), entry.original(), to);
            copier.copy(entry.warc(), entry.offset() + entry.length(), end, to);
            original = WarcLocation.NONE;
        } else {
            copier.copy(entry.warc(), entry.offset(), end, to);
        }
        var place = new WarcLocation(outName, offset, length);
        if (rewritePlan.revisitTargets.contains(location(entry))) {
            newLocations.put(location(entry), place);
        }
        return entry.withLocation(place, original);
    }

    private WarcLocation original(PageLogEntry entry) {
        return newLocations.getOrDefault(entry.original(), entry.original());
    }

    /**
     * Returns the line of a removed capture, kept in part while the frontier needs its deferred
     * links.
     */
    Optional<PageLogEntry> rewriteRemoved(PageLogEntry entry) throws IOException {
        if (rewritePlan.changed.contains(entry.warc())) {
            startSource(entry);
        }
        return entry.linksDeferred() ? Optional.of(withoutRecords(entry)) : Optional.empty();
    }

    /** Copies the records before the first capture of a file, which describe the file. */
    private void startSource(PageLogEntry entry) throws IOException {
        if (!entry.warc().equals(source)) {
            finishFile();
            source = entry.warc();
            headLength = entry.offset();
        }
    }

    private ChecksummedFile outputFile() throws IOException {
        var open = out;
        if (open == null) {
            outName = nextVersion(source);
            disk.delete(directory.resolve(outName));
            open = new ChecksummedFile(disk.append(directory.resolve(outName)), 0);
            out = open;
            copier.copy(source, 0, headLength, new AppendChannel(open));
        }
        return open;
    }

    /**
     * Returns the name of the next version of a file; it sorts at the same position as the old one.
     */
    static String nextVersion(String name) {
        var matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(name + " is not the name of a WARC file");
        }
        var version = matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2));
        return matcher.group(1) + "-" + (version + 1) + matcher.group(3);
    }

    void finishFile() throws IOException {
        var open = out;
        if (open != null) {
            open.sync();
            open.close();
            written.add(new CommittedLength(outName, open.length(), open.checksum()));
            out = null;
        }
    }

    List<CommittedLength> written() {
        return written;
    }

    static WarcLocation location(PageLogEntry entry) {
        return new WarcLocation(entry.warc(), entry.offset(), entry.length());
    }

    private static PageLogEntry withoutRecords(PageLogEntry entry) {
        return PageLogEntry.of(entry.seq(), entry.url(), entry.kind())
                .status(entry.status())
                .time(entry.time())
                .depth(entry.depth())
                .linksDeferred(true)
                .build();
    }

    private record AppendChannel(AppendFile file) implements WritableByteChannel {

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            var count = bytes.remaining();
            file.append(bytes);
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // The opener of the file closes it.
        }
    }

    @Override
    public void close() throws IOException {
        copier.close();
        if (out != null) {
            out.close();
        }
    }
}
