package dev.orbweaver.testkit;

import dev.orbweaver.testkit.RequestReader.Request;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The connection of a client. Responses are sent in the order of requests (RFC 9112, section
 * 9.3.2): pipelined requests wait in a queue, but their arrival is recorded at once.
 */
@SuppressWarnings(
        "FutureReturnValueIgnored") // Failures are reported to exceptionCaught or the listener.
final class ServerConnection extends ChannelInboundHandlerAdapter {

    private record PendingResponse(
            long arrival, ResponseCache.EncodedResponse encodedResponse, boolean last) {}

    private static final int LAST_PART_BYTES = 16_384;

    private final ServedWeb site;
    private final TimestampedReads reads;
    private final RequestReader reader = new RequestReader();
    private final ArrayDeque<PendingResponse> queue = new ArrayDeque<>();
    private final int connection;
    private boolean busy;
    private int address;

    ServerConnection(ServedWeb site, TimestampedReads reads, int connection) {
        this.site = site;
        this.reads = reads;
        this.connection = connection;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        var local = (InetSocketAddress) context.channel().localAddress();
        address = local.getAddress().hashCode();
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var bytes = (ByteBuf) message;
        try {
            if (!reader.add(bytes)) {
                context.close();
                return;
            }
            for (var request = reader.next(); request != null; request = reader.next()) {
                accept(context, request);
            }
        } catch (RequestReader.MalformedRequestException e) {
            context.close();
        } finally {
            bytes.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        // The client has disconnected, so the response ends here.
        queue.forEach(pendingResponse -> site.auditor().recordEnd(pendingResponse.arrival, 0));
        queue.clear();
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Expected: a killed client resets its connections.
        context.close();
    }

    private void accept(ChannelHandlerContext context, Request request) {
        var route = site.route(request.host(), request.target());
        var arrival =
                site.auditor()
                        .recordArrival(
                                route, address, connection, reads.earliest(), reads.latest());
        var encodedResponse =
                switch (request.method()) {
                    case GET -> site.response(route, request);
                    // RFC 9110, section 9.3.2: the same fields as for GET, without content.
                    case HEAD -> site.response(route, request).head();
                    case OTHER ->
                            ResponseCache.EncodedResponse.of(
                                    WireResponse.error(405)
                                            .withFraming(WireResponse.Framing.LENGTH_THEN_CLOSE));
                };
        queue.add(
                new PendingResponse(
                        arrival,
                        encodedResponse,
                        encodedResponse.closesConnection() || !request.keepAlive()));
        if (!busy) {
            sendNext(context);
        }
    }

    private void sendNext(ChannelHandlerContext context) {
        var pendingResponse = queue.peek();
        busy = pendingResponse != null;
        if (pendingResponse == null) {
            return;
        }
        var latencyMillis = pendingResponse.encodedResponse.latencyMillis();
        if (latencyMillis == 0) {
            send(context, pendingResponse);
        } else {
            context.executor()
                    .schedule(
                            () -> send(context, pendingResponse),
                            latencyMillis,
                            TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Sends a response. The end of a long one is sent after the kernel has accepted the rest, so
     * that the clock can be read right before.
     */
    private void send(ChannelHandlerContext context, PendingResponse pendingResponse) {
        var wire = pendingResponse.encodedResponse.bytes();
        var early = wire.readableBytes() - LAST_PART_BYTES;
        if (early <= LAST_PART_BYTES) {
            sendLast(context, pendingResponse, wire.retainedDuplicate());
            return;
        }
        context.writeAndFlush(wire.retainedSlice(wire.readerIndex(), early))
                .addListener(
                        done -> {
                            if (done.isSuccess()) {
                                var from = wire.readerIndex() + early;
                                sendLast(
                                        context,
                                        pendingResponse,
                                        wire.retainedSlice(from, LAST_PART_BYTES));
                            } else {
                                onSent(context, pendingResponse, 0, site.auditor().now());
                            }
                        });
    }

    private void sendLast(
            ChannelHandlerContext context, PendingResponse pendingResponse, ByteBuf wire) {
        var before = site.auditor().now();
        site.countBytes(pendingResponse.encodedResponse);
        context.writeAndFlush(wire)
                .addListener(
                        done ->
                                onSent(
                                        context,
                                        pendingResponse,
                                        done.isSuccess()
                                                ? pendingResponse.encodedResponse.status()
                                                : 0,
                                        before));
    }

    private void onSent(
            ChannelHandlerContext context,
            PendingResponse pendingResponse,
            int status,
            long endNanos) {
        site.auditor()
                .recordEnd(
                        pendingResponse.arrival,
                        pendingResponse.encodedResponse.complete() ? status : 0,
                        endNanos);
        queue.poll();
        if (pendingResponse.last) {
            context.close();
        } else {
            sendNext(context);
        }
    }
}
