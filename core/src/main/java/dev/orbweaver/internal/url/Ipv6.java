package dev.orbweaver.internal.url;

import java.util.Optional;

/** Parses and serialises IPv6 addresses as in the URL standard (section 3.5 and 3.6). */
final class Ipv6 {

    private static final int PIECES = 8;

    private final String text;
    private final int[] pieces = new int[PIECES];
    private int count;
    private int compress = -1;
    private int at;

    private Ipv6(String text) {
        this.text = text;
    }

    /** Returns the shortest form of an address without brackets; empty if it is not an address. */
    static Optional<String> parse(String text) {
        var address = new Ipv6(text);
        return address.read() ? Optional.of(address.write()) : Optional.empty();
    }

    private int peek(int offset) {
        return at + offset < text.length() ? text.charAt(at + offset) : -1;
    }

    private boolean read() {
        if (peek(0) == ':') {
            if (peek(1) != ':') {
                return false;
            }
            at = 2;
            compress = ++count;
        }
        while (at < text.length()) {
            if (count == PIECES) {
                return false;
            }
            if (peek(0) == ':') {
                if (compress >= 0) {
                    return false;
                }
                at++;
                compress = ++count;
            } else if (!readPiece()) {
                return false;
            }
        }
        if (compress < 0) {
            return count == PIECES;
        }
        spread();
        return true;
    }

    /** Reads one piece with the colon after it, or the IPv4 address that ends the text. */
    private boolean readPiece() {
        var start = at;
        var value = 0;
        while (at - start < 4 && Ascii.hexValue(peek(0)) >= 0) {
            value = value * 16 + Ascii.hexValue(peek(0));
            at++;
        }
        if (peek(0) == '.') {
            if (at == start || count > PIECES - 2) {
                return false;
            }
            at = start;
            return readIpv4();
        }
        if (peek(0) == ':') {
            at++;
            if (at == text.length()) {
                return false;
            }
        } else if (at < text.length()) {
            return false;
        }
        pieces[count++] = value;
        return true;
    }

    private boolean readIpv4() {
        for (var seen = 0; seen < 4; seen++) {
            if (seen > 0) {
                if (peek(0) != '.') {
                    return false;
                }
                at++;
            }
            var number = readDecimalByte();
            if (number < 0) {
                return false;
            }
            pieces[count] = pieces[count] * 256 + number;
            if ((seen & 1) == 1) {
                count++;
            }
        }
        return at == text.length();
    }

    /** Reads up to three digits without a leading zero, at most 255; -1 for anything else. */
    private int readDecimalByte() {
        if (!Ascii.isDigit(peek(0))) {
            return -1;
        }
        if (peek(0) == '0') {
            at++;
            return Ascii.isDigit(peek(0)) ? -1 : 0;
        }
        var value = 0;
        while (Ascii.isDigit(peek(0))) {
            value = value * 10 + peek(0) - '0';
            if (value > 255) {
                return -1;
            }
            at++;
        }
        return value;
    }

    /** Moves the pieces after the "::", which replaces at least one piece, to the end. */
    private void spread() {
        var moved = count - compress;
        for (var i = 1; i <= moved; i++) {
            var from = count - i;
            var to = PIECES - i;
            if (from != to) {
                pieces[to] = pieces[from];
                pieces[from] = 0;
            }
        }
    }

    private String write() {
        var zeros = longestZeroRun();
        var out = new StringBuilder(39);
        for (var i = 0; i < PIECES; i++) {
            if (i == zeros) {
                out.append(i == 0 ? "::" : ":");
                while (i < PIECES && pieces[i] == 0) {
                    i++;
                }
                if (i == PIECES) {
                    break;
                }
            }
            out.append(Integer.toHexString(pieces[i]));
            if (i < PIECES - 1) {
                out.append(':');
            }
        }
        return out.toString();
    }

    /** Returns the start of the first longest run of at least two zero pieces, or -1. */
    private int longestZeroRun() {
        var best = -1;
        var bestLength = 1;
        for (var i = 0; i < PIECES; i++) {
            var start = i;
            while (i < PIECES && pieces[i] == 0) {
                i++;
            }
            if (i - start > bestLength) {
                best = start;
                bestLength = i - start;
            }
        }
        return best;
    }
}
