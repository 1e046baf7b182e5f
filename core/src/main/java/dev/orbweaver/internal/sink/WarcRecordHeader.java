package dev.orbweaver.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.model.Exchange;

import java.net.InetAddress;
import java.util.Optional;

/**
 * Builds the head of a WARC/1.1 record (sections 4 and 5). jwarc's builders are not used, because
 * they take more time than the digest of a small page (ADR 9); the tests read the result with jwarc
 * and others.
 *
 * <p>No value can contain a line end: URLs are escaped by their parser, and digests, dates and
 * addresses are generated here.
 */
final class WarcRecordHeader {

    private final StringBuilder text = new StringBuilder(768);

    private WarcRecordHeader(String type, String id, String date) {
        text.append("WARC/1.1\r\nWARC-Type: ").append(type);
        text.append("\r\nWARC-Record-ID: <").append(id);
        text.append(">\r\nWARC-Date: ").append(date).append("\r\n");
    }

    /**
     * @param date when the record was created, formatted by {@link IsoTime}
     */
    static WarcRecordHeader of(String type, String id, String date) {
        return new WarcRecordHeader(type, id, date);
    }

    @CanIgnoreReturnValue
    WarcRecordHeader field(String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
        return this;
    }

    @CanIgnoreReturnValue
    WarcRecordHeader target(String url) {
        return field("WARC-Target-URI", url);
    }

    @CanIgnoreReturnValue
    WarcRecordHeader reference(String name, String id) {
        text.append(name).append(": <").append(id).append(">\r\n");
        return this;
    }

    @CanIgnoreReturnValue
    WarcRecordHeader address(InetAddress address) {
        // The part after % names an interface of this machine.
        var literal = address.getHostAddress();
        var zone = literal.indexOf('%');
        return field("WARC-IP-Address", zone < 0 ? literal : literal.substring(0, zone));
    }

    /** Adds the protocol if the record's block is not what was transferred (IIPC proposal 42). */
    @CanIgnoreReturnValue
    WarcRecordHeader protocol(Exchange.HttpVersion version) {
        return switch (version) {
            case HTTP_1 -> this;
            case HTTP_2 -> field("WARC-Protocol", "h2");
        };
    }

    @CanIgnoreReturnValue
    WarcRecordHeader payload(String digest) {
        return field("WARC-Payload-Digest", digest);
    }

    @CanIgnoreReturnValue
    WarcRecordHeader block(Optional<String> digest) {
        digest.ifPresent(value -> field("WARC-Block-Digest", value));
        return this;
    }

    /** Returns the head of a record whose block has this type and length. */
    byte[] toBytes(String contentType, long length) {
        text.append("Content-Type: ").append(contentType);
        text.append("\r\nContent-Length: ").append(length).append("\r\n\r\n");
        return text.toString().getBytes(UTF_8);
    }
}
