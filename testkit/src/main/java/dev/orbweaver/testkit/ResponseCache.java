package dev.orbweaver.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Caches encoded responses in memory outside the heap. Once the budget is used up, further pages
 * are generated for each request.
 */
final class ResponseCache {

    /**
     * An encoded response.
     *
     * @param complete whether the response is not truncated
     */
    record EncodedResponse(
            ByteBuf bytes,
            int status,
            boolean closesConnection,
            boolean complete,
            int latencyMillis) {

        /** Returns the head of the response, for HEAD requests. */
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

    /** Only the gzip form is cached, because nearly all clients accept it. */
    EncodedResponse get(int page) {
        var encodedResponse = cached.get(page);
        return encodedResponse != null ? encodedResponse : encode(page);
    }

    /** Returns false if the budget is used up. */
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
        // Two event loops may generate the same page; the first one is kept.
        if (cached.putIfAbsent(page, lasting) != null) {
            direct.release();
            bytesLeft.addAndGet(size);
            return encodedResponse;
        }
        return lasting;
    }

    /** Frees the memory; no response may be in progress. */
    void release() {
        cached.values().forEach(encodedResponse -> encodedResponse.bytes.release());
        cached.clear();
    }
}
