package dev.orbweaver.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

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

        static Ready of(Answer answer) {
            return new Ready(
                    Unpooled.wrappedBuffer(answer.wire()),
                    answer.status(),
                    answer.closes(),
                    answer.framing() != Answer.Framing.CUT_SHORT,
                    answer.latencyMillis());
        }
    }

    private final SimulatedWeb web;
    private final int port;
    private final AtomicReferenceArray<@Nullable Ready> kept;
    private final AtomicLong bytesLeft;

    AnswerCache(SimulatedWeb web, int port, long bytesMax) {
        this.web = web;
        this.port = port;
        kept = new AtomicReferenceArray<>(web.pageCount());
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
        return kept.get(page) != null;
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
        if (!kept.compareAndSet(page, null, lasting)) {
            direct.release();
            bytesLeft.addAndGet(size);
            return ready;
        }
        return lasting;
    }

    /** Gives the memory back. Nobody may be sending any more. */
    void release() {
        for (var page = 0; page < kept.length(); page++) {
            var ready = kept.getAndSet(page, null);
            if (ready != null) {
                ready.wire.release();
            }
        }
    }
}
