package dev.orbweaver.fetch;

import dev.orbweaver.model.AddressRange;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Judges the address about to be dialled. The ranges are those of IANA's special-purpose registries
 * for IPv4 and IPv6 (and multicast); an IPv6 address that carries an IPv4 one is judged by what it
 * carries as well, because that is where the packets end up.
 */
public final class AddressGuard {

    private record Range(AddressRange addresses, String why) {

        boolean contains(byte[] address) {
            return addresses.contains(address);
        }
    }

    private static final List<Range> SPECIAL =
            List.of(
                    range("0.0.0.0", 8, "this network"),
                    range("10.0.0.0", 8, "private"),
                    range("100.64.0.0", 10, "carrier-grade NAT"),
                    range("127.0.0.0", 8, "loopback"),
                    range("169.254.0.0", 16, "link-local, where clouds keep their metadata"),
                    range("172.16.0.0", 12, "private"),
                    range("192.0.0.0", 24, "protocol assignments"),
                    range("192.0.2.0", 24, "documentation"),
                    range("192.31.196.0", 24, "AS112"),
                    range("192.52.193.0", 24, "AMT"),
                    range("192.88.99.0", 24, "6to4 relay"),
                    range("192.168.0.0", 16, "private"),
                    range("192.175.48.0", 24, "AS112"),
                    range("198.18.0.0", 15, "benchmarking"),
                    range("198.51.100.0", 24, "documentation"),
                    range("203.0.113.0", 24, "documentation"),
                    range("224.0.0.0", 4, "multicast"),
                    range("240.0.0.0", 4, "reserved"),
                    range("::", 96, "IPv4-compatible, unspecified or loopback"),
                    range("::ffff:0:0:0", 96, "IPv4-translated"),
                    range("64:ff9b:1::", 48, "local NAT64"),
                    range("100::", 64, "discard"),
                    range("100:0:0:1::", 64, "dummy prefix"),
                    range("2001::", 23, "protocol assignments and Teredo"),
                    range("2001:db8::", 32, "documentation"),
                    range("2620:4f:8000::", 48, "AS112"),
                    range("3fff::", 20, "documentation"),
                    range("5f00::", 16, "segment routing"),
                    range("fc00::", 7, "unique local"),
                    range("fe80::", 10, "link-local"),
                    range("fec0::", 10, "site-local"),
                    range("ff00::", 8, "multicast"));

    private static final Range MAPPED =
            new Range(new AddressRange(mappedPrefix(), 96), "IPv4-mapped");
    private static final Range NAT64 = range("64:ff9b::", 96, "NAT64");
    private static final Range SIX_TO_FOUR = range("2002::", 16, "6to4");
    private static final Range GLOBAL_UNICAST = range("2000::", 3, "global unicast");

    private AddressGuard() {}

    /** Why an address is not to be dialled, or nothing when it is an ordinary public one. */
    public static Optional<String> objection(InetAddress address) {
        var bytes = address.getAddress();
        for (var range : SPECIAL) {
            if (range.contains(bytes)) {
                return Optional.of(range.why());
            }
        }
        return address instanceof Inet4Address ? Optional.empty() : carried(bytes);
    }

    private static Optional<String> carried(byte[] bytes) {
        if (MAPPED.contains(bytes) || NAT64.contains(bytes)) {
            return objection(ipv4(bytes, 12));
        }
        // 6to4 is long deprecated, so even one that carries a public address is no web server's.
        if (SIX_TO_FOUR.contains(bytes)) {
            return Optional.of("6to4");
        }
        // IANA has assigned public addresses from 2000::/3 only; what lies elsewhere is some
        // network's own.
        return GLOBAL_UNICAST.contains(bytes) ? Optional.empty() : Optional.of("not assigned");
    }

    private static InetAddress ipv4(byte[] bytes, int offset) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, offset, offset + 4));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are always an address", e);
        }
    }

    private static byte[] mappedPrefix() {
        var prefix = new byte[16];
        prefix[10] = (byte) 0xFF;
        prefix[11] = (byte) 0xFF;
        return prefix;
    }

    private static Range range(String prefix, int bits, String why) {
        return new Range(AddressRange.of(prefix + "/" + bits), why);
    }
}
