package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/** The host parser of the URL standard (section 3.5); returns hosts in serialised form. */
final class HostParser {

    private static final String FORBIDDEN_IN_HOST = "\0\t\n\r #/:<>?@[\\]^|";

    private HostParser() {}

    static Optional<String> parse(String input, boolean opaque) {
        if (input.startsWith("[")) {
            if (!input.endsWith("]")) {
                return Optional.empty();
            }
            return Ipv6.parse(input.substring(1, input.length() - 1)).map(a -> "[" + a + "]");
        }
        return opaque ? opaqueHost(input) : domainOrIpv4(input);
    }

    private static Optional<String> opaqueHost(String input) {
        for (var i = 0; i < input.length(); i++) {
            if (FORBIDDEN_IN_HOST.indexOf(input.charAt(i)) >= 0) {
                return Optional.empty();
            }
        }
        return Optional.of(PercentEncodeSet.C0_CONTROL.encode(input));
    }

    private static Optional<String> domainOrIpv4(String input) {
        var domain = input.indexOf('%') < 0 ? input : percentDecode(input);
        var ascii = toAscii(domain);
        if (ascii.isEmpty() || !isDomain(ascii.get())) {
            return Optional.empty();
        }
        return Ipv4.endsInNumber(ascii.get()) ? Ipv4.parse(ascii.get()) : ascii;
    }

    private static Optional<String> toAscii(String domain) {
        return Ascii.isAscii(domain)
                ? Optional.of(Ascii.lowerCase(domain))
                : InternationalDomain.toAscii(domain);
    }

    private static boolean isDomain(String ascii) {
        for (var i = 0; i < ascii.length(); i++) {
            var c = ascii.charAt(i);
            if (c <= ' ' || c == '%' || c >= 0x7F || FORBIDDEN_IN_HOST.indexOf(c) >= 0) {
                return false;
            }
        }
        return !ascii.isEmpty();
    }

    private static String percentDecode(String input) {
        var bytes = input.getBytes(UTF_8);
        var length = 0;
        for (var i = 0; i < bytes.length; i++) {
            var decoded = bytes[i];
            if (decoded == '%' && i + 2 < bytes.length) {
                var high = Ascii.hexValue(bytes[i + 1]);
                var low = Ascii.hexValue(bytes[i + 2]);
                if (high >= 0 && low >= 0) {
                    decoded = (byte) ((high << 4) | low);
                    i += 2;
                }
            }
            bytes[length++] = decoded;
        }
        return new String(bytes, 0, length, UTF_8);
    }
}
