package dev.orbweaver.internal.disk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decodes gzip (RFC 1952) with several members.
 *
 * <p>{@code GZIPInputStream} recurses for every empty member, so a few kilobytes of them overflow
 * the stack; this class loops. Checksums are not verified, because the content has already been
 * passed on when they are read.
 */
public final class GunzipStream extends InputStream {

    private static final int MAGIC_1 = 0x1F;
    private static final int MAGIC_2 = 0x8B;
    private static final int DEFLATED = 8;
    private static final int FLAG_CRC = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;
    private static final int TRAILER = 8;
    private static final int TIME_EXTRA_SYSTEM = 6;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final byte[] buffer;
    private int next;
    private int filled;
    private boolean inMember;
    private boolean ended;

    public GunzipStream(InputStream in, int bufferBytes) {
        this.in = in;
        this.buffer = new byte[bufferBytes];
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            if (!inMember) {
                beginMember();
            } else if (inflater.finished()) {
                endMember();
            } else {
                var count = inflate(bytes, offset, length);
                if (count > 0) {
                    return count;
                }
            }
        }
        return -1;
    }

    private int inflate(byte[] bytes, int offset, int length) throws IOException {
        if (inflater.needsInput()) {
            if (next == filled && !fill()) {
                throw new EOFException("unexpected end of gzip data");
            }
            inflater.setInput(buffer, next, filled - next);
            next = filled;
        }
        try {
            var count = inflater.inflate(bytes, offset, length);
            if (count == 0 && inflater.needsDictionary()) {
                throw new ZipException("gzip data requires a preset dictionary");
            }
            return count;
        } catch (DataFormatException e) {
            throw new ZipException(e.getMessage());
        }
    }

    private void beginMember() throws IOException {
        if (take() != MAGIC_1 || take() != MAGIC_2 || take() != DEFLATED) {
            throw new ZipException("not gzip data");
        }
        var flags = take();
        skip(TIME_EXTRA_SYSTEM);
        if ((flags & FLAG_EXTRA) != 0) {
            var low = take();
            skip(low | take() << 8);
        }
        skipText(flags & FLAG_NAME);
        skipText(flags & FLAG_COMMENT);
        skip((flags & FLAG_CRC) == 0 ? 0 : 2);
        inMember = true;
    }

    /**
     * Starts the next member if one follows. Other data after the end is ignored, as other decoders
     * do.
     */
    private void endMember() throws IOException {
        next = filled - inflater.getRemaining();
        inflater.reset();
        inMember = false;
        try {
            skip(TRAILER);
            ended = (next == filled && !fill()) || (buffer[next] & 0xFF) != MAGIC_1;
        } catch (EOFException noTrailer) {
            ended = true;
        }
    }

    private void skipText(int flag) throws IOException {
        if (flag != 0) {
            while (take() != 0) {
                // A name or comment ends with a zero byte.
            }
        }
    }

    private void skip(int count) throws IOException {
        for (var i = 0; i < count; i++) {
            var _ = take();
        }
    }

    private int take() throws IOException {
        if (next == filled && !fill()) {
            throw new EOFException("unexpected end of gzip data");
        }
        return buffer[next++] & 0xFF;
    }

    private boolean fill() throws IOException {
        next = 0;
        filled = Math.max(0, in.read(buffer, 0, buffer.length));
        return filled > 0;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
