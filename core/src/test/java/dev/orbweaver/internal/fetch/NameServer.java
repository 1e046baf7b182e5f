package dev.orbweaver.internal.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A name server on loopback whose responses are defined by the test. Instead of addresses a zone
 * may return {@code cname NAME}, {@code garbage} or, for no response, {@code silence}.
 */
public final class NameServer implements AutoCloseable {

    /** Returns the addresses of a name; queries for IPv4 addresses are counted. */
    public interface Zone {
        List<String> addresses(String name, int question);
    }

    private static final int TYPE_A = 1;
    private static final int TYPE_CNAME = 5;
    private static final int TYPE_AAAA = 28;

    private final DatagramSocket socket;
    private final Zone zone;
    private final int ttlSeconds;
    private final AtomicInteger queries = new AtomicInteger();
    private final Set<Integer> ports = ConcurrentHashMap.newKeySet();

    private NameServer(DatagramSocket socket, Zone zone, int seconds) {
        this.socket = socket;
        this.zone = zone;
        this.ttlSeconds = seconds;
    }

    public static NameServer start(Zone zone) throws IOException {
        return start(zone, 0);
    }

    /** Starts a server whose responses have this time to live. */
    public static NameServer start(Zone zone, int seconds) throws IOException {
        var socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        var server = new NameServer(socket, zone, seconds);
        Thread.startVirtualThread(server::serve);
        return server;
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(socket.getLocalAddress(), socket.getLocalPort());
    }

    int queries() {
        return queries.get();
    }

    /** Returns the source ports of queries. */
    Set<Integer> ports() {
        return Set.copyOf(ports);
    }

    private void serve() {
        var packet = new DatagramPacket(new byte[1500], 1500);
        try {
            while (!socket.isClosed()) {
                socket.receive(packet);
                ports.add(packet.getPort());
                var query = Arrays.copyOf(packet.getData(), packet.getLength());
                var answer = answer(query);
                if (answer.length > 0) {
                    socket.send(
                            new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private byte[] answer(byte[] query) {
        var name = new StringBuilder();
        var at = 12;
        while (query[at] != 0) {
            name.append(new String(query, at + 1, query[at], ISO_8859_1)).append('.');
            at += query[at] + 1;
        }
        var end = at + 5;
        var type = query[at + 2];
        name.setLength(Math.max(0, name.length() - 1));
        var wanted = type == TYPE_A ? 4 : type == TYPE_AAAA ? 16 : 0;
        var number = type == TYPE_A ? queries.incrementAndGet() : queries.get();
        var said = zone.addresses(name.toString(), number);
        if (said.contains("silence")) {
            return new byte[0];
        }
        if (said.contains("garbage")) {
            return Arrays.copyOf(query, 2 + number % 30); // Its id, then a random header.
        }
        var alias = said.stream().filter(text -> text.startsWith("cname ")).findFirst();
        var records =
                alias.isPresent()
                        ? List.of(encoded(alias.get().substring("cname ".length())))
                        : said.stream()
                                .map(InetAddress::ofLiteral)
                                .map(InetAddress::getAddress)
                                .filter(bytes -> bytes.length == wanted)
                                .toList();
        var recordType = alias.isPresent() ? TYPE_CNAME : type;
        // RFC 1035, section 4.1: header, the question again, then the answers.
        var out = ByteBuffer.allocate(1500);
        out.put(query, 0, 2).putShort((short) 0x8580).putShort((short) 1);
        out.putShort((short) records.size()).putInt(0).put(query, 12, end - 12);
        for (var record : records) {
            out.putShort((short) 0xC00C).putShort((short) recordType).putShort((short) 1);
            out.putInt(ttlSeconds);
            out.putShort((short) record.length).put(record);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    private static byte[] encoded(String name) {
        var out = ByteBuffer.allocate(name.length() + 2);
        for (var label : name.split("\\.", -1)) {
            out.put((byte) label.length()).put(label.getBytes(ISO_8859_1));
        }
        return out.put((byte) 0).array();
    }

    @Override
    public void close() {
        socket.close();
    }
}
