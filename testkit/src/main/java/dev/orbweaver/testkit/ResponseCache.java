package dev.orbweaver.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Prepared responses: a page's HTML is made once, then served from memory outside the heap until
 * the budget is spent; pages beyond it are made each time.
 */
final class ResponseCache {

    /**
     * A response as it goes over the wire.
     *
     * @param complete whether the bytes hold all that they promise
     */
    record EncodedResponse(
            ByteBuf bytes,
            int status,
            boolean closesConnection,
            boolean complete,
            int latencyMillis) {

        /** For HEAD. */
        EncodedResponse head() {
            var end = ByteBufUtil.indexOf(HEAD_END, bytes);
            return end < 0
                    ? this
                    : new EncodedResponse(
                            bytes.slice(bytes.readerIndex(), end + HEAD_END.readableBytes()),
                            status,
                            closesConnection,
                            complete,
                            latencyMillis);
        }

        static EncodedResponse of(WireResponse wireResponse) {
            return new EncodedResponse(
                    Unpooled.wrappedBuffer(wireResponse.toBytes()),
                    wireResponse.status(),
                    wireResponse.closesConnection(),
                    wireResponse.isComplete(),
                    wireResponse.latencyMillis());
        }
    }

    private static final ByteBuf HEAD_END =
            Unpooled.unreleasableBuffer(
                    Unpooled.copiedBuffer("\r\n\r\n", StandardCharsets.US_ASCII).asReadOnly());

    private final SimulatedWeb web;
    private final int port;
    private final ConcurrentHashMap<Integer, EncodedResponse> cached = new ConcurrentHashMap<>();
    private final AtomicLong bytesLeft;

    ResponseCache(SimulatedWeb web, int port, long bytesMax) {
        this.web = web;
        this.port = port;
        bytesLeft = new AtomicLong(bytesMax);
    }

    /** With gzip, as nearly all clients accept: the form that is kept. */
    EncodedResponse get(int page) {
        var encodedResponse = cached.get(page);
        return encodedResponse != null ? encodedResponse : encode(page);
    }

    /** False once the budget is spent. */
    boolean prebuild(int page) {
        var _ = get(page);
        return cached.containsKey(page);
    }

    private EncodedResponse encode(int page) {
        var wireResponse = web.response(page, port, 0, true);
        var encodedResponse = EncodedResponse.of(wireResponse);
        var size = encodedResponse.bytes.readableBytes();
        if (bytesLeft.addAndGet(-size) < 0) {
            bytesLeft.addAndGet(size);
            return encodedResponse;
        }
        var direct = Unpooled.directBuffer(size, size).writeBytes(encodedResponse.bytes);
        var lasting =
                new EncodedResponse(
                        direct,
                        encodedResponse.status,
                        encodedResponse.closesConnection,
                        encodedResponse.complete,
                        encodedResponse.latencyMillis);
        // Two event loops may make the same page at once: the first one's stays.
        if (cached.putIfAbsent(page, lasting) != null) {
            direct.release();
            bytesLeft.addAndGet(size);
            return encodedResponse;
        }
        return lasting;
    }

    /** Frees the memory; nothing may be sending any more. */
    void release() {
        cached.values().forEach(encodedResponse -> encodedResponse.bytes.release());
        cached.clear();
    }
}
