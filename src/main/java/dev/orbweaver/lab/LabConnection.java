package dev.orbweaver.lab;

import dev.orbweaver.lab.RequestReader.Request;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * One client's connection. Requests are answered in the order they came (RFC 9112, section 9.3.2):
 * while one answer is waited for or being written, later requests stand in a queue, though their
 * arrival is noted at once.
 */
@SuppressWarnings(
        "FutureReturnValueIgnored") // Failures come as exceptionCaught or to the listener.
final class LabConnection extends ChannelInboundHandlerAdapter {

    private record Pending(long arrival, AnswerCache.Ready ready, boolean last) {}

    private static final int LAST_PART_BYTES = 16_384;

    private final LabSite site;
    private final StampedReads reads;
    private final RequestReader reader = new RequestReader();
    private final ArrayDeque<Pending> queue = new ArrayDeque<>();
    private final int connection;
    private boolean busy;
    private int address;

    LabConnection(LabSite site, StampedReads reads, int connection) {
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
        } catch (RequestReader.MalformedRequest e) {
            context.close();
        } finally {
            bytes.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        // Whoever hung up does not wait for an answer any more: it ends here.
        queue.forEach(pending -> site.auditor().ended(pending.arrival, 0));
        queue.clear();
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // A client that was killed resets its connections; that is its right.
        context.close();
    }

    private void accept(ChannelHandlerContext context, Request request) {
        var route = site.route(request.host(), request.target());
        var arrival =
                site.auditor()
                        .arrived(route, address, connection, reads.earliest(), reads.latest());
        var ready =
                switch (request.method()) {
                    case GET -> site.answer(route, request);
                    // RFC 9110, section 9.3.2: the same fields as GET, and no content.
                    case HEAD -> site.answer(route, request).head();
                    case OTHER ->
                            AnswerCache.Ready.of(
                                    Answer.error(405).framed(Answer.Framing.LENGTH_THEN_CLOSE));
                };
        queue.add(new Pending(arrival, ready, ready.closes() || !request.keepsAlive()));
        if (!busy) {
            next(context);
        }
    }

    private void next(ChannelHandlerContext context) {
        var pending = queue.peek();
        busy = pending != null;
        if (pending == null) {
            return;
        }
        var latencyMillis = pending.ready.latencyMillis();
        if (latencyMillis == 0) {
            send(context, pending);
        } else {
            context.executor()
                    .schedule(() -> send(context, pending), latencyMillis, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Sends an answer. The end of a long one is sent when the kernel has taken the rest, so that
     * the clock can be read right before.
     */
    private void send(ChannelHandlerContext context, Pending pending) {
        var wire = pending.ready.wire();
        var early = wire.readableBytes() - LAST_PART_BYTES;
        if (early <= LAST_PART_BYTES) {
            sendLast(context, pending, wire.retainedDuplicate());
            return;
        }
        context.writeAndFlush(wire.retainedSlice(wire.readerIndex(), early))
                .addListener(
                        done -> {
                            if (done.isSuccess()) {
                                var from = wire.readerIndex() + early;
                                sendLast(
                                        context,
                                        pending,
                                        wire.retainedSlice(from, LAST_PART_BYTES));
                            } else {
                                sent(context, pending, 0, site.auditor().now());
                            }
                        });
    }

    private void sendLast(ChannelHandlerContext context, Pending pending, ByteBuf wire) {
        var before = site.auditor().now();
        context.writeAndFlush(wire)
                .addListener(
                        done ->
                                sent(
                                        context,
                                        pending,
                                        done.isSuccess() ? pending.ready.status() : 0,
                                        before));
    }

    private void sent(ChannelHandlerContext context, Pending pending, int status, long endNanos) {
        site.auditor().ended(pending.arrival, pending.ready.whole() ? status : 0, endNanos);
        queue.poll();
        if (pending.last) {
            context.close();
        } else {
            next(context);
        }
    }
}
