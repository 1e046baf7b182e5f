package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.model.Capture;
import dev.orbweaver.model.Exchange;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Creates optional records besides request and response. */
final class ExtraRecords {

    /** The timestamp at the start of {@code text/dns} (WARC 1.1, annex C.5; RFC 2540). */
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss").withZone(ZoneOffset.UTC);

    private static final String NAME_PUNCTUATION = "_.-";

    private static final int HOSTS_MAX = 1 << 16;

    private final RecordOptions options;
    private final Map<String, InetAddress> recordedAddresses = new ConcurrentHashMap<>();

    ExtraRecords(RecordOptions options) {
        this.options = options;
    }

    sealed interface ExtraRecord {
        byte[] text();
    }

    @SuppressWarnings("ArrayRecordComponent") // Notes are never compared.
    record Outlinks(byte[] text) implements ExtraRecord {}

    @SuppressWarnings("ArrayRecordComponent") // Notes are never compared.
    record DnsResource(String host, byte[] text) implements ExtraRecord {}

    List<ExtraRecord> of(Capture capture, Exchange exchange) {
        if (!options.outlinks() && !options.dns()) {
            return List.of();
        }
        var extraRecords = new ArrayList<ExtraRecord>();
        if (options.outlinks() && !capture.page().links().isEmpty()) {
            extraRecords.add(new Outlinks(outlinks(capture, exchange)));
        }
        if (options.dns()) {
            address(exchange).ifPresent(extraRecords::add);
        }
        return extraRecords;
    }

    /** Formats the outlinks with the notation of Heritrix: L is a link, E an embed. */
    private static byte[] outlinks(Capture capture, Exchange exchange) {
        var text = new StringBuilder();
        text.append("fetchTimeMs: ").append(exchange.timings().total().toMillis()).append("\r\n");
        if (!capture.page().charset().isEmpty()) {
            text.append("charsetForLinkExtraction: ").append(capture.page().charset());
            text.append("\r\n");
        }
        for (Link link : capture.page().links()) {
            text.append("outlink: ").append(link.url().text());
            text.append(link.kind() == LinkKind.REQUISITE ? " E " : " L ");
            text.append(link.kind().name().toLowerCase(java.util.Locale.ROOT)).append("\r\n");
        }
        return text.toString().getBytes(UTF_8);
    }

    /**
     * Returns a record with the address of a host if it is new or changed. It is repeated when the
     * table of known addresses was full and has been cleared.
     */
    private Optional<ExtraRecord> address(Exchange exchange) {
        var host = exchange.url().host();
        var address = exchange.remote();
        if (!isName(host) || address.equals(recordedAddresses.get(host))) {
            return Optional.empty();
        }
        if (recordedAddresses.size() >= HOSTS_MAX) {
            recordedAddresses.clear();
        }
        recordedAddresses.put(host, address);
        var type = address instanceof Inet6Address ? "AAAA" : "A";
        // The TTL of the DNS response is not known here; RFC 1035, 5.1 allows to omit it.
        var text =
                "%s\n%s. IN %s %s\n"
                        .formatted(
                                STAMP.format(exchange.timings().started()),
                                withoutDot(host),
                                type,
                                withoutZone(address.getHostAddress()));
        return Optional.of(new DnsResource(host, text.getBytes(UTF_8)));
    }

    /**
     * Returns whether a host is a name, with a letter in its last label; others need no DNS lookup.
     */
    private static boolean isName(String host) {
        var name = withoutDot(host);
        var last = name.substring(name.lastIndexOf('.') + 1);
        return name.chars()
                        .allMatch(
                                c -> isLetter(c) || isDigit(c) || NAME_PUNCTUATION.indexOf(c) >= 0)
                && last.chars().anyMatch(ExtraRecords::isLetter);
    }

    private static boolean isLetter(int c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private static String withoutDot(String host) {
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    private static String withoutZone(String address) {
        var zone = address.indexOf('%');
        return zone < 0 ? address : address.substring(0, zone);
    }
}
