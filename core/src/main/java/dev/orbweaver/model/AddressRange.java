package dev.orbweaver.model;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A range of IP addresses with a common prefix, such as {@code 192.0.2.0/24} or {@code
 * 2001:db8::/32}.
 *
 * @param prefix an address of the range, four or sixteen bytes
 * @param bits length of the prefix in bits
 */
@SuppressWarnings("ArrayRecordComponent") // The array is never modified.
public record AddressRange(byte[] prefix, int bits) {

    public AddressRange {
        prefix = prefix.clone();
        if (bits < 0 || bits > 8 * prefix.length) {
            throw new IllegalArgumentException("invalid prefix length " + bits);
        }
    }

    /** Parses a range or a single address. */
    public static AddressRange of(String text) {
        var slash = text.indexOf('/');
        var address = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
        var bytes = address.getAddress();
        try {
            var bits = slash < 0 ? 8 * bytes.length : Integer.parseInt(text.substring(slash + 1));
            return new AddressRange(bytes, bits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not an address range: " + text, e);
        }
    }

    public boolean contains(byte[] address) {
        if (address.length != prefix.length) {
            return false;
        }
        var whole = bits >> 3;
        if (!Arrays.equals(address, 0, whole, prefix, 0, whole)) {
            return false;
        }
        var left = bits & 7;
        return left == 0 || ((address[whole] ^ prefix[whole]) & 0xFF) >> (8 - left) == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressRange(var otherPrefix, var otherBits)
                && bits == otherBits
                && Arrays.equals(prefix, otherPrefix);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(prefix) + bits;
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(prefix) + "/" + bits;
    }
}
