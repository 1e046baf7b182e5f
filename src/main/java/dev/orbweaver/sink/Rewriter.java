package dev.orbweaver.sink;

import dev.orbweaver.disk.AppendFile;
import dev.orbweaver.disk.ChecksummedFile;
import dev.orbweaver.disk.Disk;
import dev.orbweaver.model.FileMark;

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
 * Writes WARC files anew without some of their captures, and says what becomes of each line of the
 * page log. It is shown the lines in order, which is also the order of the records.
 */
final class Rewriter implements AutoCloseable {

    private static final Pattern NAME = Pattern.compile("^(.*-\\d{5,9})(?:-(\\d+))?(\\.warc.*)$");

    private final Disk disk;
    private final Path folder;
    private final RecordCopier copier;
    private final Choice choice;

    /** Where records lie now that others refer to. */
    private final Map<WarcPlace, WarcPlace> moved = new HashMap<>();

    private final List<FileMark> written = new ArrayList<>();
    private String source = "";
    private long headLength;
    private @Nullable ChecksummedFile out;
    private String outName = "";

    /**
     * What is to be done.
     *
     * @param removed the records that go
     * @param changed the files that cannot stay as they are
     * @param referredTo the records that revisits refer to
     */
    record Choice(Set<WarcPlace> removed, Set<String> changed, Set<WarcPlace> referredTo) {}

    Rewriter(Disk disk, Path folder, Choice choice) {
        this.disk = disk;
        this.folder = folder;
        this.choice = choice;
        this.copier = new RecordCopier(folder);
    }

    /**
     * The line of a capture that stays.
     *
     * @param end where its records end
     */
    PageEntry kept(PageEntry entry, long end) throws IOException {
        if (!choice.changed.contains(entry.warc())) {
            return moved(entry, place(entry), original(entry));
        }
        enter(entry);
        var file = file();
        var to = new Appending(file);
        var offset = file.length();
        var length = entry.length();
        var original = original(entry);
        if (choice.removed.contains(entry.original())) {
            length = copier.unfold(place(entry), entry.original(), to);
            copier.copy(entry.warc(), entry.offset() + entry.length(), end, to);
            original = WarcPlace.NONE;
        } else {
            copier.copy(entry.warc(), entry.offset(), end, to);
        }
        var place = new WarcPlace(outName, offset, length);
        if (choice.referredTo.contains(place(entry))) {
            moved.put(place(entry), place);
        }
        return moved(entry, place, original);
    }

    private WarcPlace original(PageEntry entry) {
        return moved.getOrDefault(entry.original(), entry.original());
    }

    /**
     * The line of a capture that goes. Where its links wait to be read the frontier counts on it,
     * so it stays until they have been given up, with nothing but what that takes.
     */
    Optional<PageEntry> removed(PageEntry entry) throws IOException {
        if (choice.changed.contains(entry.warc())) {
            enter(entry);
        }
        return entry.linksDeferred() ? Optional.of(bare(entry)) : Optional.empty();
    }

    /** What lies before the first capture of a file describes the file. */
    private void enter(PageEntry entry) throws IOException {
        if (!entry.warc().equals(source)) {
            finishFile();
            source = entry.warc();
            headLength = entry.offset();
        }
    }

    private ChecksummedFile file() throws IOException {
        var open = out;
        if (open == null) {
            outName = next(source);
            disk.delete(folder.resolve(outName));
            open = new ChecksummedFile(disk.append(folder.resolve(outName)), 0);
            out = open;
            copier.copy(source, 0, headLength, new Appending(open));
        }
        return open;
    }

    /** The name of the next version of a file; it sorts in the old one's place. */
    static String next(String name) {
        var matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(name + " is not the name of a WARC file");
        }
        var version = matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2));
        return matcher.group(1) + "-" + (version + 1) + matcher.group(3);
    }

    /** Nothing more goes into the file being written. */
    void finishFile() throws IOException {
        var open = out;
        if (open != null) {
            open.sync();
            open.close();
            written.add(new FileMark(outName, open.length(), open.checksum()));
            out = null;
        }
    }

    /** The files that were written. */
    List<FileMark> written() {
        return written;
    }

    static WarcPlace place(PageEntry entry) {
        return new WarcPlace(entry.warc(), entry.offset(), entry.length());
    }

    private static PageEntry moved(PageEntry entry, WarcPlace place, WarcPlace original) {
        return new PageEntry(
                entry.seq(),
                entry.url(),
                entry.kind(),
                entry.status(),
                entry.time(),
                entry.milliseconds(),
                entry.depth(),
                entry.parent(),
                entry.retries(),
                entry.mediaType(),
                entry.charset(),
                entry.title(),
                entry.links(),
                entry.simHash(),
                entry.bytes(),
                entry.digest(),
                entry.location(),
                entry.cause(),
                entry.detail(),
                place.warc(),
                place.offset(),
                place.length(),
                entry.linksDeferred(),
                entry.directives(),
                original);
    }

    private static PageEntry bare(PageEntry entry) {
        return new PageEntry(
                entry.seq(),
                entry.url(),
                entry.kind(),
                entry.status(),
                entry.time(),
                0,
                entry.depth(),
                0,
                0,
                "",
                "",
                "",
                0,
                0,
                0,
                "",
                "",
                "",
                "",
                "",
                0,
                0,
                true);
    }

    /** A file as a channel. */
    private record Appending(AppendFile file) implements WritableByteChannel {

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
            // The file is closed by whoever opened it.
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
