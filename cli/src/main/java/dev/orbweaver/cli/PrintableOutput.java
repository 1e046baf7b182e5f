package dev.orbweaver.cli;

import dev.orbweaver.model.PrintableText;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Copies UTF-8 and replaces terminal control characters with spaces; line feeds and tabs stay. All
 * commands print through it, so that none can send control sequences from the web to a terminal.
 */
final class PrintableOutput extends FilterOutputStream {

    private static final int SEQUENCE_MAX = 4;

    private final byte[] sequence = new byte[SEQUENCE_MAX];
    private int length;
    private int missing;
    private int codePoint;

    PrintableOutput(OutputStream out) {
        super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        var from = offset;
        for (var i = offset; i < offset + count; i++) {
            if (missing == 0 && bytes[i] >= ' ' && bytes[i] != 0x7F) {
                continue; // Printable ASCII is copied in runs.
            }
            out.write(bytes, from, i - from);
            write(bytes[i]);
            from = i + 1;
        }
        out.write(bytes, from, offset + count - from);
    }

    @Override
    public void write(int value) throws IOException {
        var octet = value & 0xFF;
        var continuation = (octet & 0xC0) == 0x80;
        if (missing > 0 && !continuation) {
            out.write('?'); // The previous sequence was incomplete.
            missing = 0;
        }
        if (missing > 0) {
            sequence[length++] = (byte) octet;
            codePoint = (codePoint << 6) | (octet & 0x3F);
            if (--missing == 0) {
                writeSequence();
            }
        } else if (octet < 0x80) {
            var kept = octet == '\n' || octet == '\t' || PrintableText.isPrintable(octet);
            out.write(kept ? octet : ' ');
        } else {
            begin(octet);
        }
    }

    private void begin(int octet) throws IOException {
        if (octet < 0xC2 || octet > 0xF4) {
            out.write('?'); // Not a valid first byte.
            return;
        }
        missing = octet < 0xE0 ? 1 : octet < 0xF0 ? 2 : 3;
        codePoint = octet & (0x3F >> missing);
        sequence[0] = (byte) octet;
        length = 1;
    }

    private void writeSequence() throws IOException {
        if (Character.isValidCodePoint(codePoint) && PrintableText.isPrintable(codePoint)) {
            out.write(sequence, 0, length);
        } else {
            out.write(' ');
        }
    }
}
