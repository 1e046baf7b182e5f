package dev.orbweaver.export;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Stores Markdown pages in a file and reads them by rank; 12 bytes of memory per page. */
final class TextStore implements AutoCloseable {

    private static final int INITIAL_CAPACITY = 1024;

    private final Path file;
    private final OutputStream out;
    private long[] offsets = new long[INITIAL_CAPACITY];
    private int[] ranks = new int[INITIAL_CAPACITY];
    private int size;
    private long length;

    TextStore(Path directory) throws IOException {
        file = directory.resolve("pages");
        out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
    }

    interface Visitor {
        /** Adds a page; {@code number} is its index in the ranks. */
        void visit(int number, TextPage page) throws IOException;
    }

    int size() {
        return size;
    }

    void add(int rank, TextPage page) throws IOException {
        if (size == offsets.length) {
            offsets = Arrays.copyOf(offsets, size * 2);
            ranks = Arrays.copyOf(ranks, size * 2);
        }
        offsets[size] = length;
        ranks[size] = rank;
        size++;
        var bytes = new ByteArrayOutputStream();
        page.write(new DataOutputStream(bytes));
        bytes.writeTo(out);
        length += bytes.size();
    }

    /** Visits pages in the order of ranks. */
    void forEach(Visitor visitor) throws IOException {
        out.flush();
        var order = order();
        try (var in = new RandomAccessFile(file.toFile(), "r")) {
            for (var number = 0; number < size; number++) {
                visitor.visit(number, read(in, (int) order[number]));
            }
        }
    }

    /** Visits pages in the given order. */
    void forEach(int[] numbers, Visitor visitor) throws IOException {
        out.flush();
        var order = order();
        try (var in = new RandomAccessFile(file.toFile(), "r")) {
            for (var number : numbers) {
                visitor.visit(number, read(in, (int) order[number]));
            }
        }
    }

    /**
     * Returns sorted values with the rank in the upper 32 bits and the number in the lower ones.
     */
    private long[] order() {
        var order = new long[size];
        for (var i = 0; i < size; i++) {
            order[i] = ((long) ranks[i] << 32) | i;
        }
        Arrays.sort(order);
        return order;
    }

    private TextPage read(RandomAccessFile in, int at) throws IOException {
        var end = at + 1 < size ? offsets[at + 1] : length;
        var bytes = new byte[Math.toIntExact(end - offsets[at])];
        in.seek(offsets[at]);
        in.readFully(bytes);
        return TextPage.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    @Override
    public void close() throws IOException {
        out.close();
        Files.deleteIfExists(file);
    }
}
