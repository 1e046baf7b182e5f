package dev.orbweaver.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finished answers, ready to be written: a page's HTML is made once, then served from memory
 * outside the heap until the budget is spent; pages beyond it are made anew each time.
 */
final class AnswerCache {

    /**
     * Bytes as they go over the wire, and what the sender must know about them.
     *
     * @param whole whether the bytes hold all that they promise
     */
    record Ready(ByteBuf wire, int status, boolean closes, boolean whole, int latencyMillis) {

        /** The same without its body, as a HEAD is answered. */
        Ready head() {
            var end = ByteBufUtil.indexOf(HEAD_END, wire);
            return end < 0
                    ? this
                    : new Ready(
                            wire.slice(wire.readerIndex(), end + HEAD_END.readableBytes()),
                            status,
                            closes,
                            whole,
                            latencyMillis);
        }

        static Ready of(Answer answer) {
            return new Ready(
                    Unpooled.wrappedBuffer(answer.wire()),
                    answer.status(),
                    answer.closes(),
                    answer.whole(),
                    answer.latencyMillis());
        }
    }

    private static final ByteBuf HEAD_END =
            Unpooled.unreleasableBuffer(
                    Unpooled.copiedBuffer("\r\n\r\n", StandardCharsets.US_ASCII).asReadOnly());

    private final SimulatedWeb web;
    private final int port;
    private final ConcurrentHashMap<Integer, Ready> kept = new ConcurrentHashMap<>();
    private final AtomicLong bytesLeft;

    AnswerCache(SimulatedWeb web, int port, long bytesMax) {
        this.web = web;
        this.port = port;
        bytesLeft = new AtomicLong(bytesMax);
    }

    /** The answer to a client that takes gzip, as nearly all do: the form that is kept. */
    Ready of(int page) {
        var ready = kept.get(page);
        return ready != null ? ready : make(page);
    }

    /** Makes a page's answer ahead of time; false once the budget is spent. */
    boolean prebuild(int page) {
        var _ = of(page);
        return kept.containsKey(page);
    }

    private Ready make(int page) {
        var answer = web.answer(page, port, 0, true);
        var ready = Ready.of(answer);
        var size = ready.wire.readableBytes();
        if (bytesLeft.addAndGet(-size) < 0) {
            bytesLeft.addAndGet(size);
            return ready;
        }
        var direct = Unpooled.directBuffer(size, size).writeBytes(ready.wire);
        var lasting =
                new Ready(direct, ready.status, ready.closes, ready.whole, ready.latencyMillis);
        // Two event loops may make the same page at once: the first one's stays.
        if (kept.putIfAbsent(page, lasting) != null) {
            direct.release();
            bytesLeft.addAndGet(size);
            return ready;
        }
        return lasting;
    }

    /** Gives the memory back. Nobody may be sending any more. */
    void release() {
        kept.values().forEach(ready -> ready.wire.release());
        kept.clear();
    }
}
