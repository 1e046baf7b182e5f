package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.sink.PageLog;
import dev.orbweaver.internal.sink.PageLogEntry;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The last lines of a page log, for subscribers that reconnect. */
final class PageLogTail implements Closeable {

    /** About ten thousand lines. */
    private static final long BYTES_MAX = 8L << 20;

    private final InputStream in;
    private final boolean complete;

    private PageLogTail(InputStream in, boolean whole) {
        this.in = in;
        this.complete = whole;
    }

    static PageLogTail open(Path directory) throws IOException {
        var file = directory.resolve(DirectoryLayout.PAGE_LOG);
        if (!Files.exists(file)) {
            return new PageLogTail(InputStream.nullInputStream(), true);
        }
        var channel = FileChannel.open(file);
        var start = Math.max(0, channel.size() - BYTES_MAX);
        var in = new BufferedInputStream(Channels.newInputStream(channel.position(start)), 1 << 16);
        if (start > 0) {
            for (var next = in.read(); next >= 0 && next != '\n'; next = in.read()) {}
        }
        return new PageLogTail(in, start == 0);
    }

    /** Whether the tail begins with the first line of the log. */
    boolean isComplete() {
        return complete;
    }

    Optional<PageLogEntry> next() throws IOException {
        var line = new ByteArrayOutputStream();
        for (var next = in.read(); next >= 0; next = in.read()) {
            if (next == '\n') {
                return Optional.of(PageLog.parseLine(line.toString(UTF_8)));
            }
            line.write(next);
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
