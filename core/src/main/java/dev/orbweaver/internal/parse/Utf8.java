package dev.orbweaver.internal.parse;

/** Checks whether bytes are UTF-8. */
final class Utf8 {

    private Utf8() {}

    /**
     * Returns whether {@code [from, end)} is UTF-8 (Unicode, table 3-7), possibly truncated in a
     * character.
     */
    static boolean isValid(byte[] bytes, int from, int end) {
        var at = ByteScan.indexOfNonAscii(bytes, from, end);
        while (at < end) {
            var next = afterCharacter(bytes, at, end);
            if (next < 0) {
                return false;
            }
            at = next < end && bytes[next] >= 0 ? ByteScan.indexOfNonAscii(bytes, next, end) : next;
        }
        return true;
    }

    /** Returns the end of the multi-byte character that starts here, or -1. */
    private static int afterCharacter(byte[] bytes, int at, int end) {
        var lead = bytes[at] & 0xFF;
        if (lead < 0xC2 || lead > 0xF4) {
            return -1;
        }
        var length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        for (var i = 1; i < length; i++) {
            if (at + i >= end) {
                return end;
            }
            var trail = bytes[at + i] & 0xFF;
            var low = i == 1 ? lowestSecond(lead) : 0x80;
            var high = i == 1 ? highestSecond(lead) : 0xBF;
            if (trail < low || trail > high) {
                return -1;
            }
        }
        return at + length;
    }

    private static int lowestSecond(int lead) {
        return switch (lead) {
            case 0xE0 -> 0xA0;
            case 0xF0 -> 0x90;
            default -> 0x80;
        };
    }

    private static int highestSecond(int lead) {
        return switch (lead) {
            case 0xED -> 0x9F;
            case 0xF4 -> 0x8F;
            default -> 0xBF;
        };
    }
}
