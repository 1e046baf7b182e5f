package dev.orbweaver.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * An append-only file with a checksum of its content. After a failed append, reopen it at its last
 * commit.
 */
public final class ChecksummedFile implements AppendFile {

    private final AppendFile file;
    private final RunningChecksum checksum;

    /**
     * @param checksum of the existing content
     */
    public ChecksummedFile(AppendFile file, int checksum) {
        this.file = file;
        this.checksum = new RunningChecksum(checksum);
    }

    public int checksum() {
        return checksum.value();
    }

    @Override
    public long length() {
        return file.length();
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
        checksum.update(bytes.duplicate());
        file.append(bytes);
    }

    @Override
    public void append(Path source) throws IOException {
        try (var channel = FileChannel.open(source)) {
            checksum.update(channel, 0, channel.size());
        }
        file.append(source);
    }

    @Override
    public void sync() throws IOException {
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
