package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

class SimulatedDnsTest {

    private static final int A = 1;
    private static final int AAAA = 28;
    private static final int NXDOMAIN = 3;

    private final SimulatedWeb web = SimulatedWeb.of(WebSpec.demo(7));

    @Test
    void everyHostHasItsAddressAndDeadNamesHaveNone() throws IOException {
        try (var dns = SimulatedDns.start(web, 0, Duration.ofSeconds(77))) {
            for (var host = 0; host < web.hostCount(); host++) {
                var reply = query(dns, web.hostName(host), A);
                if (web.hosts().has(host, Trait.UNRESOLVABLE)) {
                    assertThat(code(reply)).isEqualTo(NXDOMAIN);
                } else {
                    assertThat(code(reply)).isZero();
                    assertThat(answerCount(reply)).isEqualTo(1);
                    assertThat(Arrays.copyOfRange(reply, reply.length - 4, reply.length))
                            .isEqualTo(web.resolve(web.hostName(host)).orElseThrow().getAddress());
                    // TTL and data length precede the address.
                    assertThat(ByteBuffer.wrap(reply).getInt(reply.length - 10)).isEqualTo(77);
                }
            }
        }
    }

    @Test
    void otherTypesGetAnEmptyResponseAndOtherNamesNone() throws IOException {
        try (var dns = SimulatedDns.start(web, 0, Duration.ofSeconds(60))) {
            var six = query(dns, "hub.test", AAAA);
            assertThat(code(six)).isZero();
            assertThat(answerCount(six)).isZero();
            assertThat(code(query(dns, "elsewhere.test", A))).isEqualTo(NXDOMAIN);
            assertThat(code(query(dns, "elsewhere.test", AAAA))).isEqualTo(NXDOMAIN);
            var shouted = web.hostName(3).toUpperCase(Locale.ROOT);
            assertThat(answerCount(query(dns, shouted, A))).isEqualTo(1);
        }
    }

    /** Encodes a query (RFC 1035, section 4). */
    private static byte[] query(SimulatedDns dns, String name, int type) throws IOException {
        var query = new ByteArrayOutputStream();
        query.writeBytes(new byte[] {0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (var label : name.split("\\.", -1)) {
            query.write(label.length());
            query.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        query.writeBytes(new byte[] {0, 0, (byte) type, 0, 1});
        try (var socket = new DatagramSocket()) {
            socket.setSoTimeout(5_000);
            socket.send(new DatagramPacket(query.toByteArray(), query.size(), dns.address()));
            var reply = new DatagramPacket(new byte[512], 512);
            socket.receive(reply);
            var bytes = Arrays.copyOf(reply.getData(), reply.getLength());
            assertThat(bytes).startsWith(0x12, 0x34);
            return bytes;
        }
    }

    private static int code(byte[] reply) {
        return reply[3] & 0xF;
    }

    private static int answerCount(byte[] reply) {
        return ByteBuffer.wrap(reply).getShort(6);
    }
}
