package dev.orbweaver.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import org.netpreserve.jwarc.WarcDigest;

import java.net.InetAddress;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The head of a WARC/1.1 record (sections 4 and 5). It is put together here and not by jwarc, whose
 * builders take more time than the digest of a small page (ADR 9); jwarc and others read it back in
 * the tests.
 *
 * <p>Nothing that comes in here can end a line: URLs are escaped by their parser, digests, dates
 * and addresses are our own.
 */
final class RecordHead {

    private final StringBuilder text = new StringBuilder(512);
    private final URI id;

    private RecordHead(String type, Instant date) {
        var uuid = "urn:uuid:" + UUID.randomUUID();
        id = URI.create(uuid);
        text.append("WARC/1.1\r\nWARC-Type: ").append(type);
        text.append("\r\nWARC-Record-ID: <").append(uuid);
        text.append(">\r\nWARC-Date: ").append(date).append("\r\n");
    }

    /** The head of a record of some type, made at some time. */
    static RecordHead of(String type, Instant date) {
        return new RecordHead(type, date);
    }

    /** The record's name. */
    URI id() {
        return id;
    }

    @CanIgnoreReturnValue
    RecordHead field(String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
        return this;
    }

    @CanIgnoreReturnValue
    RecordHead target(String url) {
        return field("WARC-Target-URI", url);
    }

    @CanIgnoreReturnValue
    RecordHead reference(String name, URI id) {
        return field(name, "<" + id + ">");
    }

    @CanIgnoreReturnValue
    RecordHead address(InetAddress address) {
        // What stands behind % names an interface of this machine.
        var literal = address.getHostAddress();
        var zone = literal.indexOf('%');
        return field("WARC-IP-Address", zone < 0 ? literal : literal.substring(0, zone));
    }

    @CanIgnoreReturnValue
    RecordHead payload(WarcDigest digest) {
        return field("WARC-Payload-Digest", digest.prefixedBase32());
    }

    @CanIgnoreReturnValue
    RecordHead block(Optional<WarcDigest> digest) {
        digest.ifPresent(value -> field("WARC-Block-Digest", value.prefixedBase32()));
        return this;
    }

    /** The whole head of a record whose block has this type and length. */
    byte[] end(String contentType, long length) {
        text.append("Content-Type: ").append(contentType);
        text.append("\r\nContent-Length: ").append(length).append("\r\n\r\n");
        return text.toString().getBytes(UTF_8);
    }
}
