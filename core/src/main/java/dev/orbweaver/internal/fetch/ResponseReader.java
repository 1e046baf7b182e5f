package dev.orbweaver.internal.fetch;

import dev.orbweaver.internal.disk.SpillBuffer;
import dev.orbweaver.model.Body;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.spi.Fetcher.HeadFilter;

import io.netty.buffer.ByteBuf;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Parses one HTTP/1.1 response incrementally (RFC 9112); keeps the head as sent and joins chunks.
 *
 * <p>Netty's own codec turns the head into objects and discards its bytes, which an archive needs,
 * so this class parses the bytes itself. It is strict about everything on which two parsers could
 * disagree where a message ends (both lengths at once, different lengths, malformed chunk sizes):
 * such a response is a failure with a cause, and its connection is not reused.
 */
final class ResponseReader {

    static final class BadResponseException extends IOException {
        private static final long serialVersionUID = 1;
        private final FailureCause failure;

        BadResponseException(FailureCause failure, String message) {
            super(message);
            this.failure = failure;
        }

        FailureCause failure() {
            return failure;
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this; // Server errors are frequent, and their stack is useless.
        }
    }

    private enum State {
        HEAD,
        FIXED,
        CHUNK_SIZE,
        CHUNK_DATA,
        CHUNK_END,
        TRAILER,
        UNTIL_CLOSE,
        DONE
    }

    private static final int INTERIM_MAX = 10;
    private static final int LINE_MAX = 8 << 10;
    private static final int FIRST_HEAD = 512;

    private final int headBytesMax;
    private final long bodyBytesMax;
    private final SpillBuffer body;
    private final HeadFilter headFilter;
    private Optional<String> refusalReason = Optional.empty();
    private State state = State.HEAD;
    private byte[] head = new byte[FIRST_HEAD];
    private int headLength;
    private int lineStart;
    private int interimResponses;
    private long remaining;
    private boolean keepAlive;
    private boolean truncated;
    private int trailerBytes;
    private final StringBuilder line = new StringBuilder();
    private ResponseHead parsedHead = new ResponseHead(new byte[0], 0);

    ResponseReader(int headBytesMax, long bodyBytesMax, SpillBuffer body, HeadFilter judge) {
        this.headFilter = judge;
        this.headBytesMax = headBytesMax;
        this.bodyBytesMax = Math.min(bodyBytesMax, judge.bodyBytesMax());
        this.body = body;
    }

    void read(ByteBuf in) throws IOException {
        while (in.isReadable() && state != State.DONE) {
            switch (state) {
                case HEAD -> readHead(in);
                case FIXED -> readFixed(in);
                case CHUNK_SIZE -> readChunkSize(in);
                case CHUNK_DATA -> readChunkData(in);
                case CHUNK_END -> readChunkEnd(in);
                case TRAILER -> readTrailer(in);
                case UNTIL_CLOSE -> readBody(in, in.readableBytes());
                case DONE -> throw new IllegalStateException("read past the end");
            }
        }
        if (state == State.DONE && in.isReadable()) {
            // Unexpected bytes must not be taken for the next response.
            keepAlive = false;
        }
    }

    /** Handles the end of the connection. */
    void onClosed() throws BadResponseException {
        switch (state) {
            case UNTIL_CLOSE -> state = State.DONE;
            case HEAD ->
                    throw new BadResponseException(
                            FailureCause.DISCONNECT,
                            headLength == 0
                                    ? "connection closed without a response"
                                    : "connection closed within the response head");
            case DONE -> {}
            default ->
                    throw new BadResponseException(
                            FailureCause.DISCONNECT, "connection closed within the response body");
        }
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** Returns whether any byte was received, also of an interim response. */
    boolean hasStarted() {
        return headLength > 0 || interimResponses > 0 || state != State.HEAD;
    }

    /** Returns whether the connection may be used for another request. */
    boolean isReusable() {
        return isDone() && keepAlive && !truncated;
    }

    /** Returns why the filter rejected the body. */
    Optional<String> refusalReason() {
        return refusalReason;
    }

    boolean isTruncated() {
        return truncated;
    }

    ResponseHead head() {
        return parsedHead;
    }

    Body body() throws IOException {
        return body.finish();
    }

    private void readHead(ByteBuf in) throws IOException {
        while (in.isReadable()) {
            var newline = in.bytesBefore((byte) '\n');
            var count = newline < 0 ? in.readableBytes() : newline + 1;
            appendHeadBytes(in, count);
            if (newline >= 0 && endsHead()) {
                parseHead();
                return;
            }
            if (newline >= 0) {
                lineStart = headLength;
            }
        }
    }

    private void appendHeadBytes(ByteBuf in, int count) throws BadResponseException {
        if (headLength + count > headBytesMax) {
            throw new BadResponseException(
                    FailureCause.LIMIT, "the response head exceeds " + headBytesMax + " bytes");
        }
        if (headLength + count > head.length) {
            head = Arrays.copyOf(head, Math.max(head.length * 2, headLength + count));
        }
        in.readBytes(head, headLength, count);
        headLength += count;
    }

    /** Returns whether the line just completed is the empty one after the fields. */
    private boolean endsHead() throws BadResponseException {
        var length = headLength - lineStart;
        var empty = length == 1 || (length == 2 && head[lineStart] == '\r');
        if (empty && lineStart == 0) {
            throw malformed("empty line instead of a status line");
        }
        return empty;
    }

    private void parseHead() throws IOException {
        var raw = Arrays.copyOf(head, headLength);
        var status = ResponseHeadParser.status(raw);
        ResponseHeadParser.checkFields(raw);
        if (status < 200) {
            skipInterim(status);
            return;
        }
        parsedHead = new ResponseHead(raw, status);
        keepAlive = ResponseHeadParser.isKeepAlive(parsedHead);
        selectFraming(status);
        if (state != State.DONE && status < 300) {
            filterHead();
        }
    }

    /** Filters only successful responses: redirects and errors are small and always recorded. */
    private void filterHead() {
        refusalReason = headFilter.refusalReason(parsedHead);
        if (refusalReason.isPresent()) {
            keepAlive = false; // The server sends the body nevertheless.
            state = State.DONE;
        }
    }

    private void skipInterim(int status) throws BadResponseException {
        interimResponses++;
        if (status == 101 || interimResponses > INTERIM_MAX) {
            throw malformed(
                    status == 101
                            ? "unexpected 101 Switching Protocols"
                            : "too many interim responses");
        }
        headLength = 0;
        lineStart = 0;
    }

    /** Determines where the body ends (RFC 9112, section 6.3). */
    private void selectFraming(int status) throws IOException {
        var chunked = ResponseHeadParser.isChunked(parsedHead);
        var length = ResponseHeadParser.contentLength(parsedHead);
        if (chunked && ResponseHeadParser.hasContentLength(parsedHead)) {
            throw malformed("both Content-Length and Transfer-Encoding");
        }
        if (status == 204 || status == 304) {
            // A 304 may have the length that a 200 would have. A 204 with a length may be followed
            // by a body, which must not be taken for the next response.
            keepAlive &= status == 304 || (!chunked && length.orElse(0) == 0);
            state = State.DONE;
        } else if (chunked) {
            state = State.CHUNK_SIZE;
        } else if (length.isPresent()) {
            remaining = length.getAsLong();
            body.expect(Math.min(remaining, bodyBytesMax));
            state = remaining == 0 ? State.DONE : State.FIXED;
        } else {
            keepAlive = false;
            state = State.UNTIL_CLOSE;
        }
    }

    private void readFixed(ByteBuf in) throws IOException {
        readBody(in, (int) Math.min(remaining, in.readableBytes()));
        if (remaining == 0 && state == State.FIXED) {
            state = State.DONE;
        }
    }

    private void readChunkSize(ByteBuf in) throws IOException {
        if (!readLine(in)) {
            return;
        }
        remaining = ResponseHeadParser.chunkSize(line);
        line.setLength(0);
        state = remaining == 0 ? State.TRAILER : State.CHUNK_DATA;
        truncateIfOver(remaining);
    }

    private void readChunkData(ByteBuf in) throws IOException {
        readBody(in, (int) Math.min(remaining, in.readableBytes()));
        if (remaining == 0 && state == State.CHUNK_DATA) {
            state = State.CHUNK_END;
        }
    }

    private void readChunkEnd(ByteBuf in) throws IOException {
        var next = in.readByte();
        if (next == '\n') {
            line.setLength(0);
            state = State.CHUNK_SIZE;
        } else if (next == '\r' && line.isEmpty()) {
            line.append('\r');
        } else {
            throw malformed("chunk longer than its size");
        }
    }

    private void readTrailer(ByteBuf in) throws IOException {
        if (readLine(in)) {
            trailerBytes += line.length();
            if (trailerBytes > headBytesMax) {
                throw new BadResponseException(FailureCause.LIMIT, "the trailer exceeds the limit");
            }
            if (line.isEmpty()) {
                state = State.DONE;
            }
            line.setLength(0);
        }
    }

    /** Reads to the end of a line, which is then in {@link #line} without the line break. */
    private boolean readLine(ByteBuf in) throws BadResponseException {
        while (in.isReadable()) {
            var next = in.readByte();
            if (next == '\n') {
                if (!line.isEmpty() && line.charAt(line.length() - 1) == '\r') {
                    line.setLength(line.length() - 1);
                }
                return true;
            }
            if (line.length() >= LINE_MAX) {
                throw new BadResponseException(
                        FailureCause.LIMIT, "a chunk line exceeds " + LINE_MAX + " characters");
            }
            line.append((char) (next & 0xFF));
        }
        return false;
    }

    private void readBody(ByteBuf in, int count) throws IOException {
        var taken = (int) Math.min(count, bodyBytesMax - body.length());
        body.write(in.nioBuffer(in.readerIndex(), taken));
        in.skipBytes(taken);
        remaining -= taken;
        truncateIfOver(state == State.UNTIL_CLOSE ? count - taken : remaining);
    }

    /** Truncates the body if the limit is reached and more is certain to follow. */
    private void truncateIfOver(long more) {
        if (more > 0 && body.length() >= bodyBytesMax) {
            truncated = true;
            state = State.DONE;
        }
    }

    private static BadResponseException malformed(String what) {
        return new BadResponseException(FailureCause.MALFORMED, what);
    }
}
