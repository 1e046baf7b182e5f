package dev.orbweaver.internal.fetch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.internal.fetch.TestServer.ClientConnection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/**
 * A TLS server on loopback that writes HTTP/2 frames byte by byte, so that a test can also send
 * what no library would. It selects the first of its protocols that the client offers.
 */
public final class Http2Server implements AutoCloseable {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PUSH_PROMISE = 5;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;

    public static final int END_STREAM = 1;
    public static final int ACK = 1;
    public static final int END_HEADERS = 4;

    public static final int MAX_CONCURRENT_STREAMS = 3;

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    /** Handles one connection, which is closed afterwards. */
    public interface Handler {
        void handle(Http2Client client) throws IOException, InterruptedException, Http2Exception;
    }

    /** A frame of the client. */
    @SuppressWarnings("ArrayRecordComponent") // Frames are never compared.
    public record Frame(int type, int flags, int stream, byte[] payload) {}

    /** A request of the client. */
    public record Request(int stream, Http2Headers headers, int blockLength) {
        public String path() {
            return headers.path().toString();
        }
    }

    /** One connection, seen from the server. */
    public static final class Http2Client {
        private final ClientConnection connection;
        private final DataInputStream in;
        private final List<Request> requests;
        private final DefaultHttp2HeadersDecoder decoder =
                new DefaultHttp2HeadersDecoder(true, 1 << 20);

        private Http2Client(ClientConnection connection, List<Request> requests)
                throws IOException {
            this.connection = connection;
            this.in = new DataInputStream(connection.socket().getInputStream());
            this.requests = requests;
        }

        public ClientConnection connection() {
            return connection;
        }

        public int number() {
            return connection.number();
        }

        /** Reads the preface and sends the server's one, with settings of pairs of id and value. */
        public void start(long... settings) throws IOException {
            var preface = in.readNBytes(PREFACE.length());
            if (!new String(preface, US_ASCII).equals(PREFACE)) {
                throw new IOException("no HTTP/2 preface");
            }
            settings(settings);
        }

        public void settings(long... pairs) throws IOException {
            var payload = Unpooled.buffer();
            for (var i = 0; i < pairs.length; i += 2) {
                payload.writeShort((int) pairs[i]).writeInt((int) pairs[i + 1]);
            }
            frame(SETTINGS, 0, 0, ByteBufUtil.getBytes(payload));
        }

        public void frame(int type, int flags, int stream, byte... payload) throws IOException {
            connection.send(frameBytes(type, flags, stream, payload));
        }

        public static byte[] frameBytes(int type, int flags, int stream, byte... payload) {
            var frame = Unpooled.buffer();
            frame.writeMedium(payload.length).writeByte(type).writeByte(flags).writeInt(stream);
            return ByteBufUtil.getBytes(frame.writeBytes(payload));
        }

        /** Sends a frame many times, in few writes, until the client closes. */
        public void flood(byte[] frame, int count) throws IOException {
            var many = new ByteArrayOutputStream();
            for (var i = 0; i < count; i++) {
                many.write(frame);
                if (many.size() > 8 << 10) {
                    connection.send(many.toByteArray());
                    many.reset();
                }
            }
            connection.send(many.toByteArray());
        }

        public Frame nextFrame() throws IOException {
            var length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
            var type = in.readUnsignedByte();
            var flags = in.readUnsignedByte();
            return new Frame(type, flags, in.readInt(), in.readNBytes(length));
        }

        /** Waits for a frame of a type. */
        public Frame awaitFrame(int type) throws IOException {
            while (true) {
                var frame = nextFrame();
                if (frame.type() == type) {
                    return frame;
                }
            }
        }

        /** Waits for the next request; settings are acknowledged. */
        public Request nextRequest() throws IOException, Http2Exception {
            while (true) {
                var frame = nextFrame();
                if (frame.type() == SETTINGS && frame.flags() == 0) {
                    frame(SETTINGS, ACK, 0);
                }
                if (frame.type() == HEADERS) {
                    var block = Unpooled.wrappedBuffer(frame.payload());
                    var headers = decoder.decodeHeaders(frame.stream(), block);
                    var request = new Request(frame.stream(), headers, frame.payload().length);
                    requests.add(request);
                    return request;
                }
            }
        }

        public void respond(int stream, String status, String body, String... fields)
                throws IOException {
            headers(stream, body.isEmpty() ? END_STREAM : 0, status, fields);
            if (!body.isEmpty()) {
                data(stream, END_STREAM, body);
            }
        }

        public void headers(int stream, int flags, String status, String... fields)
                throws IOException {
            frame(HEADERS, flags | END_HEADERS, stream, block(status, fields));
        }

        public void data(int stream, int flags, String body) throws IOException {
            frame(DATA, flags, stream, body.getBytes(US_ASCII));
        }

        public void reset(int stream, int error) throws IOException {
            frame(RST_STREAM, 0, stream, uint32(error));
        }

        public void goAway(int lastStream, int error) throws IOException {
            frame(GOAWAY, 0, 0, uint32(lastStream, error));
        }

        /** Serves every request until the client closes. */
        public void respondToAll(String body) throws IOException, Http2Exception {
            while (true) {
                respond(nextRequest().stream(), "200", body);
            }
        }

        public void waitForClose() throws IOException {
            connection.waitForClose();
        }
    }

    static byte[] uint32(int... numbers) {
        var bytes = Unpooled.buffer();
        for (var number : numbers) {
            bytes.writeInt(number);
        }
        return ByteBufUtil.getBytes(bytes);
    }

    /** Returns a header block of literal fields (RFC 7541, section 6.2.2). */
    static byte[] block(String status, String... fields) {
        var block = Unpooled.buffer();
        literal(block, ":status", status);
        for (var i = 0; i < fields.length; i += 2) {
            literal(block, fields[i], fields[i + 1]);
        }
        return ByteBufUtil.getBytes(block);
    }

    /** Returns a header block of one literal field, without a status. */
    static byte[] trailer(String name, String value) {
        var block = Unpooled.buffer();
        literal(block, name, value);
        return ByteBufUtil.getBytes(block);
    }

    private static void literal(ByteBuf block, String name, String value) {
        block.writeByte(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteBuf block, String text) {
        var length = text.length();
        if (length < 127) {
            block.writeByte(length);
        } else {
            block.writeByte(127);
            var rest = length - 127;
            for (; rest >= 128; rest >>= 7) {
                block.writeByte((rest & 127) | 128);
            }
            block.writeByte(rest);
        }
        block.writeCharSequence(text, US_ASCII);
    }

    private final TestServer server;
    private final List<Request> requests;

    private Http2Server(TestServer server, List<Request> requests) {
        this.server = server;
        this.requests = requests;
    }

    public static Http2Server start(SSLContext tls, Handler handler) throws IOException {
        return start(tls, List.of("h2"), handler, v -> {});
    }

    /**
     * Starts a server that supports some protocols.
     *
     * @param http1 handles connections that do not use HTTP/2
     */
    public static Http2Server start(
            SSLContext tls,
            List<String> protocols,
            Handler handler,
            TestServer.ConnectionHandler http1)
            throws IOException {
        var requests = new CopyOnWriteArrayList<Request>();
        var socket =
                (SSLServerSocket)
                        tls.getServerSocketFactory()
                                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(protocols.toArray(String[]::new));
        socket.setSSLParameters(parameters);
        var server =
                TestServer.start(
                        socket,
                        connection -> {
                            var tlsSocket = (SSLSocket) connection.socket();
                            tlsSocket.startHandshake();
                            if (!"h2".equals(tlsSocket.getApplicationProtocol())) {
                                http1.handle(connection);
                                return;
                            }
                            try {
                                handler.handle(new Http2Client(connection, requests));
                            } catch (Http2Exception e) {
                                throw new IOException(e);
                            } catch (EOFException closed) {
                                // The client has closed.
                            }
                        });
        return new Http2Server(server, requests);
    }

    public int port() {
        return server.port();
    }

    public int connections() {
        return server.connections();
    }

    /** The requests over HTTP/2 so far. */
    public List<Request> requests() {
        return requests;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
