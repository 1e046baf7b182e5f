package dev.orbweaver.internal.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

import java.util.concurrent.atomic.LongAdder;

/** Counts the bytes of all connections on the network, including tunnels and TLS. */
@Sharable
final class TrafficCounter extends ChannelDuplexHandler {

    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();

    long sentBytes() {
        return sent.sum();
    }

    long receivedBytes() {
        return received.sum();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) {
            received.add(bytes.readableBytes());
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf bytes) {
            sent.add(bytes.readableBytes());
        }
        var _ = context.write(message, promise);
    }
}
