package dev.orbweaver.testkit;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.util.concurrent.TimeUnit;

/**
 * The Netty transport.
 *
 * @param linux whether it is the native Linux transport, with kernel timestamps
 */
record ServerTransport(
        EventLoopGroup group,
        Class<? extends ServerSocketChannel> serverChannel,
        Class<? extends DatagramChannel> datagramChannel,
        boolean linux) {

    static ServerTransport start(String name, int threads) {
        var factory = new DefaultThreadFactory(name, true);
        return Epoll.isAvailable()
                ? new ServerTransport(
                        new MultiThreadIoEventLoopGroup(
                                threads, factory, EpollIoHandler.newFactory()),
                        EpollServerSocketChannel.class,
                        EpollDatagramChannel.class,
                        true)
                : new ServerTransport(
                        new MultiThreadIoEventLoopGroup(
                                threads, factory, NioIoHandler.newFactory()),
                        NioServerSocketChannel.class,
                        NioDatagramChannel.class,
                        false);
    }

    void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
