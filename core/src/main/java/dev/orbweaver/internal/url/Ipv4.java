package dev.orbweaver.internal.url;

import java.util.Optional;

/**
 * Parses IPv4 addresses of the URL standard (section 3.5): one to four numbers, each decimal, octal
 * or hexadecimal; the last one fills the remaining bytes.
 */
final class Ipv4 {

    private static final long TOO_LARGE = 1L << 32;
    private static final long NOT_A_NUMBER = -1;

    private Ipv4() {}

    /**
     * The "ends in a number" check: returns whether the domain must be parsed as an IPv4 address.
     */
    static boolean endsInNumber(String domain) {
        var end = endWithoutLastDot(domain);
        if (end == 0) {
            return false;
        }
        var lastStart = domain.lastIndexOf('.', end - 1) + 1;
        return isDigits(domain, lastStart, end) || number(domain, lastStart, end) != NOT_A_NUMBER;
    }

    /** Returns the address in dotted form; empty if the text is not an address. */
    static Optional<String> parse(String domain) {
        var end = endWithoutLastDot(domain);
        var numbers = new long[4];
        var count = 0;
        for (var start = 0; start <= end; ) {
            var dot = domain.indexOf('.', start);
            var partEnd = dot < 0 || dot > end ? end : dot;
            var number = number(domain, start, partEnd);
            if (number == NOT_A_NUMBER || count == 4) {
                return Optional.empty();
            }
            numbers[count++] = number;
            start = partEnd + 1;
        }
        var address = numbers[count - 1];
        if (address >= 1L << (8 * (5 - count))) {
            return Optional.empty();
        }
        for (var i = 0; i < count - 1; i++) {
            if (numbers[i] > 255) {
                return Optional.empty();
            }
            address |= numbers[i] << (8 * (3 - i));
        }
        return Optional.of(dotted(address));
    }

    private static String dotted(long address) {
        return (address >> 24)
                + "."
                + ((address >> 16) & 0xFF)
                + "."
                + ((address >> 8) & 0xFF)
                + "."
                + (address & 0xFF);
    }

    private static int endWithoutLastDot(String domain) {
        var length = domain.length();
        return length > 1 && domain.charAt(length - 1) == '.' ? length - 1 : length;
    }

    private static boolean isDigits(String text, int start, int end) {
        for (var i = start; i < end; i++) {
            if (!Ascii.isDigit(text.charAt(i))) {
                return false;
            }
        }
        return start < end;
    }

    private static long number(String text, int start, int end) {
        if (start == end) {
            return NOT_A_NUMBER;
        }
        var first = start;
        var radix = 10;
        if (text.charAt(start) == '0' && end - start > 1) {
            var hexadecimal = (text.charAt(start + 1) | 0x20) == 'x';
            radix = hexadecimal ? 16 : 8;
            first += hexadecimal ? 2 : 1;
        }
        var value = 0L;
        for (var i = first; i < end; i++) {
            var digit = Ascii.hexValue(text.charAt(i));
            if (digit < 0 || digit >= radix) {
                return NOT_A_NUMBER;
            }
            value = Math.min(value * radix + digit, TOO_LARGE);
        }
        return value;
    }
}
