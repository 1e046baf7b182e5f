package dev.orbweaver.internal.fetch;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.internal.fetch.ResponseReader.BadResponseException;
import dev.orbweaver.model.FailureCause;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import javax.net.ssl.SSLException;

/**
 * The requests in flight on an HTTP/2 connection (RFC 9113), one stream each. It takes the place of
 * a {@link Connection} in the pipeline when ALPN selects HTTP/2, and belongs to the event loop.
 *
 * <p><b>The same rules as HTTP/1.1.</b> A response head is converted to HTTP/1.1 text, so that the
 * request's {@link ResponseReader} applies the same limits, filters and truncation. DATA is read
 * when it arrives, so the windows limit only what is under way; they are sized for pages. A
 * response ends with its stream.
 *
 * <p><b>One connection per server.</b> The pool shares the connection from the server's first
 * SETTINGS frame on, which says how many streams it permits. After any failure the connection is
 * retired: it gets no new stream and closes after the last one.
 *
 * <p><b>No request is lost.</b> A request that the server refused or whose stream is above the last
 * one of a GOAWAY frame was not processed; a connection that the server closes may have had
 * requests under way. These end with {@link UnprocessedException}, so they are repeated after the
 * host's delay. If a connection fails, or fails its first request, the pool uses HTTP/1.1 for that
 * server for a while, so a server that always does it ends in an ordinary failure.
 *
 * <p><b>Hostile servers.</b> Netty's codec limits header blocks, CONTINUATION frames, header
 * tables, empty DATA frames and unsent acknowledgements. All other floods (PING, SETTINGS,
 * RST_STREAM, WINDOW_UPDATE, PRIORITY, unknown frames, DATA of ended streams) are bytes that belong
 * to no response, and {@link Overhead} limits those.
 */
final class Http2Streams extends Http2ChannelDuplexHandler {

    /** The server did not process the request, or closed the connection before it responded. */
    static final class UnprocessedException extends IOException {
        private static final long serialVersionUID = 1;

        UnprocessedException(String message) {
            super(message);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** One request on its stream. */
    private static final class Exchange {
        final PendingRequest pendingRequest;
        final RequestTimeout requestTimeout;
        boolean hasHead;

        Exchange(PendingRequest pendingRequest, RequestTimeout requestTimeout) {
            this.pendingRequest = pendingRequest;
            this.requestTimeout = requestTimeout;
        }
    }

    /**
     * Flow control window of a stream. Netty's codec makes that of the connection twice as large.
     */
    private static final int WINDOW_BYTES = 1 << 20;

    /** Bytes that may belong to no response, besides a header block, since the last response. */
    private static final int OVERHEAD_BYTES_MAX = 256 << 10;

    /** Bytes of reset streams that may be under way: the window of the connection. */
    private static final int LATE_BYTES_MAX = 2 * WINDOW_BYTES;

    private static final int FRAME_HEAD_BYTES = 9;

    private final Connection connection;
    private final ConnectionPool pool;
    private final Channel channel;
    private final EventLoop loop;
    private final int headBytesMax;
    private final Map<Http2FrameStream, Exchange> exchanges = new HashMap<>();
    private final ArrayDeque<RequestTimeout> idleTimeouts = new ArrayDeque<>(1);
    private long overheadBytes;
    private boolean responded;
    private boolean retired;

    private Http2Streams(
            Connection connection,
            ConnectionPool pool,
            Channel channel,
            EventLoop loop,
            int headBytesMax) {
        this.connection = connection;
        this.pool = pool;
        this.channel = channel;
        this.loop = loop;
        this.headBytesMax = headBytesMax;
    }

    /** Sends the client's preface and takes over the pipeline of a connection. */
    static Http2Streams start(
            Connection connection,
            ConnectionPool pool,
            Channel channel,
            EventLoop loop,
            int headBytesMax) {
        var streams = new Http2Streams(connection, pool, channel, loop, headBytesMax);
        channel.pipeline().addLast(streams.new Overhead(), codec(headBytesMax), streams);
        channel.pipeline().remove(connection);
        return streams;
    }

    private static Http2FrameCodec codec(int headBytesMax) {
        var settings =
                Http2Settings.defaultSettings()
                        .pushEnabled(false)
                        .initialWindowSize(WINDOW_BYTES)
                        .maxHeaderListSize(headBytesMax);
        return Http2FrameCodecBuilder.forClient()
                .initialSettings(settings)
                .headerSensitivityDetector(Http2Heads::isNeverIndexed)
                .encoderIgnoreMaxHeaderListSize(true)
                .flushPreface(false) // The first request follows at once.
                .gracefulShutdownTimeoutMillis(0)
                .build();
    }

    /** Counts what arrives; what belongs to a response is subtracted when it is read. */
    private final class Overhead extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof ByteBuf bytes) {
                overheadBytes += bytes.readableBytes();
            }
            context.fireChannelRead(message);
            if (overheadBytes > OVERHEAD_BYTES_MAX + (long) headBytesMax) {
                failAll(
                        new BadResponseException(
                                FailureCause.DISCONNECT,
                                "HTTP/2 connection error: more than "
                                        + (OVERHEAD_BYTES_MAX >> 10)
                                        + " KB of frames that belong to no response"));
            }
        }
    }

    void send(PendingRequest next) {
        if (retired || !channel.isActive()) {
            next.fail(Connection.closedBeforeRequest());
            return;
        }
        var stream = newStream();
        var timeout = idleTimeouts.poll();
        var exchange =
                new Exchange(
                        next,
                        timeout != null
                                ? timeout
                                : new RequestTimeout(this::onTimeout, loop, System::nanoTime));
        exchanges.put(stream, exchange);
        next.startHttp2(System.nanoTime());
        exchange.requestTimeout.arm(next);
        var headers = Http2Heads.request(next.request);
        var _ =
                channel.writeAndFlush(new DefaultHttp2HeadersFrame(headers, true).stream(stream))
                        .addListener(written -> onWritten(written.cause(), stream, next));
    }

    private void onWritten(
            @Nullable Throwable failure, Http2FrameStream stream, PendingRequest of) {
        if (failure == null) {
            of.markSent();
        } else {
            fail(stream, new UnprocessedException(LogText.sanitize(failure)));
        }
    }

    /** Gives up a request whose thread no longer waits. */
    void cancel(PendingRequest pendingRequest) {
        var stream = streamOf(pendingRequest);
        if (stream != null) {
            reset(stream, Http2Error.CANCEL);
            end(stream);
        }
    }

    private @Nullable Http2FrameStream streamOf(PendingRequest pendingRequest) {
        for (var each : exchanges.entrySet()) {
            if (each.getValue().pendingRequest == pendingRequest) {
                return each.getKey();
            }
        }
        return null;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            switch (message) {
                case Http2HeadersFrame frame -> onHeaders(frame);
                case Http2DataFrame frame -> onData(frame);
                case Http2ResetFrame frame -> onReset(frame);
                case Http2GoAwayFrame frame -> onGoAway(frame);
                case Http2SettingsFrame frame -> onSettings(frame);
                default -> {} // PING and others have no effect here; the codec acknowledges them.
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void onHeaders(Http2HeadersFrame frame) {
        var stream = frame.stream();
        var exchange = exchanges.get(stream);
        if (exchange == null) {
            return; // It was given up, and its stream is reset.
        }
        try {
            if (!exchange.hasHead) { // Otherwise these are trailers, which are not stored.
                var head = Http2Heads.response(frame.headers());
                overheadBytes -= FRAME_HEAD_BYTES + head.length;
                var _ = exchange.pendingRequest.read(Unpooled.wrappedBuffer(head));
                exchange.hasHead = frame.headers().status().charAt(0) != '1';
                responded |= exchange.hasHead;
            }
            afterRead(stream, exchange, frame.isEndStream());
        } catch (IOException e) {
            reset(stream, Http2Error.CANCEL);
            fail(stream, asBadResponse(e));
        }
    }

    private void onData(Http2DataFrame frame) {
        var stream = frame.stream();
        var exchange = exchanges.get(stream);
        if (exchange == null) {
            return;
        }
        overheadBytes -= FRAME_HEAD_BYTES + frame.initialFlowControlledBytes();
        try {
            var _ = exchange.pendingRequest.read(frame.content());
            if (!frame.isEndStream()) {
                var read = frame.initialFlowControlledBytes();
                var _ = channel.write(new DefaultHttp2WindowUpdateFrame(read).stream(stream));
            }
            afterRead(stream, exchange, frame.isEndStream());
        } catch (IOException e) {
            reset(stream, Http2Error.CANCEL);
            fail(stream, asBadResponse(e));
        }
    }

    private static IOException asBadResponse(IOException e) {
        return e instanceof BadResponseException
                ? e
                : new BadResponseException(FailureCause.INTERNAL, "could not store the body: " + e);
    }

    /** Completes the response at the end of its stream, or when the rest is not wanted. */
    private void afterRead(Http2FrameStream stream, Exchange exchange, boolean ended)
            throws BadResponseException {
        var reader = exchange.pendingRequest.reader;
        var unwanted = reader.isTruncated() || reader.refusalReason().isPresent();
        if (ended) {
            if (!exchange.hasHead) {
                throw new BadResponseException(
                        FailureCause.MALFORMED, "stream ended without a response");
            }
            endBody(reader);
        } else if (unwanted) {
            reset(stream, Http2Error.CANCEL);
        }
        if (ended || unwanted) {
            end(stream);
            exchange.pendingRequest.finish();
        }
    }

    private static void endBody(ResponseReader reader) throws BadResponseException {
        try {
            reader.onClosed();
        } catch (BadResponseException e) {
            throw new BadResponseException(
                    e.failure(), "the HTTP/2 stream ended within the response body");
        }
    }

    private void onReset(Http2ResetFrame frame) {
        var error = Http2Error.valueOf(frame.errorCode());
        var name = error == null ? Long.toString(frame.errorCode()) : error.name();
        var message = "the server reset the HTTP/2 stream (" + name + ")";
        if (error == Http2Error.HTTP_1_1_REQUIRED) {
            pool.disableHttp2(connection.key(), System.nanoTime());
        }
        fail(
                frame.stream(),
                error == Http2Error.REFUSED_STREAM || error == Http2Error.HTTP_1_1_REQUIRED
                        ? new UnprocessedException(message)
                        : new BadResponseException(FailureCause.DISCONNECT, message));
    }

    private void onGoAway(Http2GoAwayFrame frame) {
        retire();
        for (var stream : List.copyOf(exchanges.keySet())) {
            if (stream.id() > frame.lastStreamId()) {
                fail(stream, new UnprocessedException("the server ended the HTTP/2 connection"));
            }
        }
    }

    private void onSettings(Http2SettingsFrame frame) {
        var streams = frame.settings().maxConcurrentStreams();
        var max = streams == null ? Long.MAX_VALUE : streams;
        if (retired || !pool.share(connection, exchanges.size(), max, System.nanoTime())) {
            retire();
        }
    }

    private void onTimeout(PendingRequest late) {
        var stream = streamOf(late);
        if (stream != null) {
            reset(stream, Http2Error.CANCEL);
            fail(stream, late.timeoutException());
        }
    }

    private void reset(Http2FrameStream stream, Http2Error error) {
        // What the server has under way may still arrive.
        overheadBytes -= WINDOW_BYTES;
        var _ = channel.writeAndFlush(new DefaultHttp2ResetFrame(error).stream(stream));
    }

    /**
     * Ends an exchange before the requesting thread is notified, so that the stream is free by the
     * time another is acquired.
     */
    @CanIgnoreReturnValue
    private @Nullable Exchange end(Http2FrameStream stream) {
        var exchange = exchanges.remove(stream);
        if (exchange == null) {
            return null;
        }
        exchange.requestTimeout.disarm();
        idleTimeouts.push(exchange.requestTimeout);
        overheadBytes = Math.clamp(overheadBytes, -LATE_BYTES_MAX, 0);
        pool.endExchange(connection, System.nanoTime());
        closeIfUnused();
        return exchange;
    }

    private void fail(Http2FrameStream stream, Throwable cause) {
        if (!exchanges.containsKey(stream)) {
            return;
        }
        if (!responded) {
            pool.disableHttp2(connection.key(), System.nanoTime());
        }
        retire();
        var exchange = end(stream);
        if (exchange != null) {
            exchange.pendingRequest.fail(cause);
        }
    }

    /** Fails all requests of a connection on which nothing can be understood any more. */
    private void failAll(Throwable cause) {
        if (!exchanges.isEmpty()) {
            pool.disableHttp2(connection.key(), System.nanoTime());
        }
        for (var stream : List.copyOf(exchanges.keySet())) {
            fail(stream, cause);
        }
        retire();
        var _ = channel.close();
    }

    /** Ends all requests after the server has closed the connection. */
    private void onClosed(Throwable cause) {
        if (!exchanges.isEmpty()) {
            pool.disableHttp2(connection.key(), System.nanoTime());
        }
        for (var stream : Map.copyOf(exchanges).entrySet()) {
            fail(
                    stream.getKey(),
                    stream.getValue().pendingRequest.reader.hasStarted()
                            ? cause
                            : new UnprocessedException(LogText.sanitize(cause)));
        }
        retire();
    }

    private void retire() {
        retired = true;
        pool.unshare(connection);
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (retired && exchanges.isEmpty()) {
            var _ = channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        onClosed(new IOException("HTTP/2 connection closed within the response"));
        idleTimeouts.forEach(RequestTimeout::cancel);
    }

    /** Closes the connection after a TLS close notification, because no response can follow. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslCloseCompletionEvent) {
            var _ = channel.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Netty wraps what its TLS decoder throws.
        var inner = cause.getCause() instanceof IOException wrapped ? wrapped : cause;
        switch (inner) {
            case Http2FrameStreamException error -> onStreamError(error);
            case SSLException error -> failAll(error);
            case IOException error -> {
                onClosed(error);
                var _ = channel.close();
            }
            default ->
                    failAll(
                            new BadResponseException(
                                    FailureCause.DISCONNECT,
                                    "HTTP/2 connection error: " + LogText.sanitize(inner)));
        }
    }

    private void onStreamError(Http2FrameStreamException error) {
        var stream = error.stream();
        var exchange = exchanges.get(stream);
        reset(stream, error.error());
        if (exchange == null) {
            return;
        }
        var malformed = exchange.hasHead ? FailureCause.DISCONNECT : FailureCause.MALFORMED;
        var cause = Objects.requireNonNullElse(error.getCause(), error);
        var tooLarge = cause instanceof Http2Exception.HeaderListSizeException;
        fail(
                stream,
                new BadResponseException(
                        tooLarge ? FailureCause.LIMIT : malformed,
                        tooLarge
                                ? "the response head exceeds " + headBytesMax + " bytes"
                                : "HTTP/2 stream error: " + LogText.sanitize(cause)));
    }
}
