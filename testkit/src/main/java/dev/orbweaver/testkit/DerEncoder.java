package dev.orbweaver.testkit;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Encodes the DER types (ITU-T X.690) that a certificate needs. */
final class DerEncoder {

    private static final DateTimeFormatter GENERALIZED =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private DerEncoder() {}

    static byte[] sequence(byte[]... parts) {
        return tagged(0x30, parts);
    }

    static byte[] set(byte[]... parts) {
        return tagged(0x31, parts);
    }

    static byte[] integer(BigInteger value) {
        return tagged(0x02, value.toByteArray());
    }

    static byte[] booleanTrue() {
        return tagged(0x01, new byte[] {(byte) 0xFF});
    }

    static byte[] octets(byte[] content) {
        return tagged(0x04, content);
    }

    /** Encodes a bit string; the last {@code unused} bits of the last byte are padding. */
    static byte[] bits(int unused, byte[] content) {
        return tagged(0x03, new byte[] {(byte) unused}, content);
    }

    static byte[] utf8(String text) {
        return tagged(0x0C, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant time) {
        return tagged(0x18, GENERALIZED.format(time).getBytes(StandardCharsets.US_ASCII));
    }

    /** Encodes an object identifier (X.690, section 8.19): the first two numbers share a byte. */
    static byte[] oid(int... numbers) {
        var out = new ByteArrayOutputStream();
        out.write(numbers[0] * 40 + numbers[1]);
        for (var i = 2; i < numbers.length; i++) {
            for (var shift = 28; shift >= 0; shift -= 7) {
                var rest = numbers[i] >>> shift;
                if (rest != 0 || shift == 0) {
                    out.write((rest & 0x7F) | (shift == 0 ? 0 : 0x80));
                }
            }
        }
        return tagged(0x06, out.toByteArray());
    }

    static byte[] tagged(int tag, byte[]... parts) {
        var content = new ByteArrayOutputStream();
        for (var part : parts) {
            content.writeBytes(part);
        }
        var out = new ByteArrayOutputStream();
        out.write(tag);
        var length = content.size();
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >>> 8);
            out.write(length);
        }
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
