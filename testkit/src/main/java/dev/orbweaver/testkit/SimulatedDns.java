package dev.orbweaver.testkit;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The DNS server of a simulated web, over UDP on 127.0.0.1: A records for its hosts, empty
 * responses for other types, NXDOMAIN for other names.
 */
public final class SimulatedDns implements AutoCloseable {

    private final ServerTransport serverTransport;
    private final Channel channel;

    private SimulatedDns(ServerTransport serverTransport, Channel channel) {
        this.serverTransport = serverTransport;
        this.channel = channel;
    }

    /**
     * Starts the server.
     *
     * @param port the UDP port; 0 for any free one
     * @param ttl the TTL of responses
     * @throws IOException if the port is in use
     */
    public static SimulatedDns start(SimulatedWeb web, int port, Duration ttl) throws IOException {
        var serverTransport = ServerTransport.start("lab-dns", 1);
        var pipeline =
                new ChannelInitializer<DatagramChannel>() {
                    @Override
                    protected void initChannel(DatagramChannel datagrams) {
                        datagrams
                                .pipeline()
                                .addLast(new DatagramDnsQueryDecoder())
                                .addLast(new DatagramDnsResponseEncoder())
                                .addLast(new QueryHandler(web, ttl.toSeconds()));
                    }
                };
        var bound =
                new Bootstrap()
                        .group(serverTransport.group())
                        .channel(serverTransport.datagramChannel())
                        .handler(pipeline)
                        .bind(InetAddress.ofLiteral("127.0.0.1"), port)
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            serverTransport.close();
            throw new IOException(
                    "could not bind the DNS server to UDP port " + port, bound.cause());
        }
        return new SimulatedDns(serverTransport, bound.channel());
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        serverTransport.close();
    }

    private static final class QueryHandler extends SimpleChannelInboundHandler<DatagramDnsQuery> {

        private final SimulatedWeb web;
        private final long ttlSeconds;

        QueryHandler(SimulatedWeb web, long ttlSeconds) {
            this.web = web;
            this.ttlSeconds = ttlSeconds;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // Clients retry after a lost response.
        protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
            var response = new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            if (question == null) {
                response.setCode(DnsResponseCode.FORMERR);
            } else {
                addRecords(question, response);
            }
            context.writeAndFlush(response);
        }

        private void addRecords(DnsQuestion question, DatagramDnsResponse response) {
            response.setAuthoritativeAnswer(true)
                    .setRecursionDesired(true)
                    .addRecord(DnsSection.QUESTION, question);
            var name = question.name();
            var found =
                    web.resolve(name.endsWith(".") ? name.substring(0, name.length() - 1) : name);
            if (found.isEmpty()) {
                response.setCode(DnsResponseCode.NXDOMAIN);
            } else if (question.type().equals(DnsRecordType.A)) {
                var address = Unpooled.wrappedBuffer(found.get().getAddress());
                response.addRecord(
                        DnsSection.ANSWER,
                        new DefaultDnsRawRecord(name, DnsRecordType.A, ttlSeconds, address));
            }
        }
    }
}
