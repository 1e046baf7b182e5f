package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.AddressRange;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Classifies the address of a connection before it is made. The ranges are those of IANA's
 * special-purpose registries for IPv4 and IPv6, multicast, and the addresses at which cloud
 * providers serve an instance's metadata and credentials. An IPv6 address that embeds an IPv4
 * address is also classified by the embedded address, because packets may be delivered there.
 */
final class AddressGuard {

    /**
     * Why an address is not an ordinary public one.
     *
     * @param reserved whether it is link-local or a metadata service, which no general permission
     *     covers
     */
    record SpecialAddress(String reason, boolean reserved) {}

    private record Range(AddressRange addresses, String reason) {

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
                    range("fec0::", 10, "site-local"),
                    range("ff00::", 8, "multicast"));

    /** Link-local addresses and metadata services, as documented by the providers. */
    private static final List<Range> RESERVED =
            List.of(
                    range("169.254.0.0", 16, "link-local, used by cloud metadata services"),
                    range("fe80::", 10, "link-local"),
                    range("168.63.129.16", 32, "Azure's metadata and agent service"),
                    range("100.100.100.200", 32, "Alibaba Cloud's metadata service"),
                    range("192.0.0.192", 32, "Oracle Cloud's metadata service"),
                    range("fd00:ec2::", 32, "Amazon's metadata service"),
                    range("fd20:ce::", 32, "Google Cloud's metadata service"),
                    range("fd00:c1::", 32, "Oracle Cloud's metadata service"),
                    range("fd00:42::", 32, "Scaleway's metadata service"),
                    range("fd00:a9fe:a9fe::", 48, "Linode's metadata service"));

    private static final Range MAPPED =
            new Range(new AddressRange(mappedPrefix(), 96), "IPv4-mapped");
    private static final Range NAT64 = range("64:ff9b::", 96, "NAT64");
    private static final Range LOCAL_NAT64 = range("64:ff9b:1::", 48, "local NAT64");
    private static final Range TRANSLATED = range("::ffff:0:0:0", 96, "IPv4-translated");
    private static final Range COMPATIBLE = range("::", 96, "IPv4-compatible");
    private static final Range SIX_TO_FOUR = range("2002::", 16, "6to4");
    private static final Range TEREDO = range("2001::", 32, "Teredo");
    private static final Range GLOBAL_UNICAST = range("2000::", 3, "global unicast");

    private AddressGuard() {}

    /** Returns why an address must not be connected to; empty if it is an ordinary public one. */
    static Optional<SpecialAddress> classify(InetAddress address) {
        var bytes = address.getAddress();
        return bytes.length == 4 ? classifyIpv4(bytes) : classifyIpv6(bytes);
    }

    private static Optional<SpecialAddress> classifyIpv4(byte[] bytes) {
        return firstMatch(RESERVED, bytes, true).or(() -> firstMatch(SPECIAL, bytes, false));
    }

    private static Optional<SpecialAddress> classifyIpv6(byte[] bytes) {
        var carried =
                embeddedIpv4(bytes).stream()
                        .map(AddressGuard::classifyIpv4)
                        .flatMap(Optional::stream)
                        .toList();
        return firstMatch(RESERVED, bytes, true)
                .or(() -> carried.stream().filter(SpecialAddress::reserved).findFirst())
                .or(() -> firstMatch(SPECIAL, bytes, false))
                .or(() -> carried.stream().findFirst())
                .or(() -> unassigned(bytes));
    }

    private static Optional<SpecialAddress> firstMatch(
            List<Range> ranges, byte[] bytes, boolean reserved) {
        for (var range : ranges) {
            if (range.contains(bytes)) {
                return Optional.of(new SpecialAddress(range.reason(), reserved));
            }
        }
        return Optional.empty();
    }

    /**
     * Classifies addresses that are not public. IANA has assigned public addresses only from
     * 2000::/3; all others are internal to some network. 6to4 is deprecated, so even a 6to4 address
     * that embeds a public one is not a web server.
     */
    private static Optional<SpecialAddress> unassigned(byte[] bytes) {
        if (MAPPED.contains(bytes) || NAT64.contains(bytes)) {
            return Optional.empty();
        }
        if (SIX_TO_FOUR.contains(bytes)) {
            return Optional.of(new SpecialAddress("6to4", false));
        }
        return GLOBAL_UNICAST.contains(bytes)
                ? Optional.empty()
                : Optional.of(new SpecialAddress("not assigned", false));
    }

    /** Returns every IPv4 address that an IPv6 address may embed. */
    private static List<byte[]> embeddedIpv4(byte[] bytes) {
        var found = new ArrayList<byte[]>();
        if (Stream.of(MAPPED, NAT64, TRANSLATED, COMPATIBLE, LOCAL_NAT64)
                .anyMatch(range -> range.contains(bytes))) {
            found.add(Arrays.copyOfRange(bytes, 12, 16));
        }
        if (LOCAL_NAT64.contains(bytes)) { // RFC 6052, section 2.2: byte 8 is skipped.
            found.add(new byte[] {bytes[6], bytes[7], bytes[9], bytes[10]});
        }
        if (SIX_TO_FOUR.contains(bytes)) {
            found.add(Arrays.copyOfRange(bytes, 2, 6));
        }
        if (TEREDO.contains(bytes)) { // RFC 4380, section 4: the server, and the client inverted.
            found.add(Arrays.copyOfRange(bytes, 4, 8));
            found.add(
                    new byte[] {
                        (byte) ~bytes[12], (byte) ~bytes[13], (byte) ~bytes[14], (byte) ~bytes[15]
                    });
        }
        if (isIsatap(bytes)) {
            found.add(Arrays.copyOfRange(bytes, 12, 16));
        }
        return found;
    }

    /** RFC 5214, section 6.1: the interface identifier is 00-00-5E-FE or 02-00-5E-FE and IPv4. */
    private static boolean isIsatap(byte[] bytes) {
        return (bytes[8] & ~2) == 0
                && bytes[9] == 0
                && bytes[10] == 0x5E
                && bytes[11] == (byte) 0xFE;
    }

    private static byte[] mappedPrefix() {
        var prefix = new byte[16];
        prefix[10] = (byte) 0xFF;
        prefix[11] = (byte) 0xFF;
        return prefix;
    }

    private static Range range(String prefix, int bits, String reason) {
        return new Range(AddressRange.of(prefix + "/" + bits), reason);
    }
}
