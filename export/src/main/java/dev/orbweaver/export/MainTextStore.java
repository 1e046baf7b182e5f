package dev.orbweaver.export;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Stores main texts in a file and reads them by page number; 8 bytes of memory per page. */
final class MainTextStore implements AutoCloseable {

    private static final int INITIAL_CAPACITY = 1024;

    private final DataOutputStream out;
    private final RandomAccessFile in;
    private long[] ends = new long[INITIAL_CAPACITY];
    private int size;
    private long length;

    MainTextStore(Path file) throws IOException {
        out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
        in = new RandomAccessFile(file.toFile(), "r");
    }

    /** Adds the text of a page, whose number is greater than those of all earlier ones. */
    void add(int number, MainText text) throws IOException {
        for (var word : text.words()) {
            out.writeInt(word);
        }
        if (number >= ends.length) {
            ends = Arrays.copyOf(ends, Math.max(number + 1, ends.length * 2));
        }
        Arrays.fill(ends, size, number, length);
        length += (long) text.words().length * Integer.BYTES;
        ends[number] = length;
        size = number + 1;
    }

    /** Writes what is buffered, so that it can be read. */
    void flush() throws IOException {
        out.flush();
    }

    MainText read(int number) throws IOException {
        var start = number == 0 ? 0 : ends[number - 1];
        var bytes = new byte[Math.toIntExact(ends[number] - start)];
        in.seek(start);
        in.readFully(bytes);
        var words = new int[bytes.length / Integer.BYTES];
        ByteBuffer.wrap(bytes).asIntBuffer().get(words);
        return new MainText(words);
    }

    @Override
    public void close() throws IOException {
        in.close();
        out.close();
    }
}
