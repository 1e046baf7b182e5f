package dev.orbweaver.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A name server on loopback whose answers are whatever a test says, with a TTL of 0. */
final class NameServer implements AutoCloseable {

    /** The addresses of a name; questions for IPv4 addresses are counted. */
    interface Zone {
        List<String> addresses(String name, int question);
    }

    private static final int TYPE_A = 1;
    private static final int TYPE_AAAA = 28;

    private final DatagramSocket socket;
    private final Zone zone;
    private final AtomicInteger questions = new AtomicInteger();

    private NameServer(DatagramSocket socket, Zone zone) {
        this.socket = socket;
        this.zone = zone;
    }

    static NameServer start(Zone zone) throws IOException {
        var server = new NameServer(new DatagramSocket(0, InetAddress.getLoopbackAddress()), zone);
        Thread.startVirtualThread(server::serve);
        return server;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(socket.getLocalAddress(), socket.getLocalPort());
    }

    private void serve() {
        var packet = new DatagramPacket(new byte[1500], 1500);
        try {
            while (!socket.isClosed()) {
                socket.receive(packet);
                var query = Arrays.copyOf(packet.getData(), packet.getLength());
                var answer = answer(query);
                socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
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
        var number = type == TYPE_A ? questions.incrementAndGet() : questions.get();
        var records =
                zone.addresses(name.toString(), number).stream()
                        .map(InetAddress::ofLiteral)
                        .map(InetAddress::getAddress)
                        .filter(bytes -> bytes.length == wanted)
                        .toList();
        // RFC 1035, section 4.1: header, the question again, then the answers.
        var out = ByteBuffer.allocate(1500);
        out.put(query, 0, 2).putShort((short) 0x8580).putShort((short) 1);
        out.putShort((short) records.size()).putInt(0).put(query, 12, end - 12);
        for (var record : records) {
            out.putShort((short) 0xC00C).putShort(type).putShort((short) 1).putInt(0);
            out.putShort((short) record.length).put(record);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    @Override
    public void close() {
        socket.close();
    }
}
