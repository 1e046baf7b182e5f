package dev.orbweaver.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.netty.channel.ChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Queries the Linux kernel for the arrival time of the bytes in a socket's receive buffer.
 *
 * <p>A server that reads its clock when it handles a request records the request late on a busy
 * machine, and then the next one appears early. The kernel timestamps each segment (socket(7),
 * SO_TIMESTAMPNS), on loopback during the sender's write. Only recvmsg(2) returns the timestamp,
 * and Netty does not call it for TCP; so it is called here with MSG_PEEK, and Netty reads as usual.
 *
 * <p>Not thread-safe. The structures have the layout of 64-bit Linux.
 */
final class KernelTimestamp {

    private static final int SOL_SOCKET = 1;

    /** The number of the option and of its control message. */
    static final int SO_TIMESTAMPNS = 35;

    /** Set on the listening socket; connections inherit it. */
    static final ChannelOption<Integer> TIMESTAMP_OPTION =
            new IntegerUnixChannelOption("SO_TIMESTAMPNS", SOL_SOCKET, SO_TIMESTAMPNS);

    private static final int PEEK_AND_DO_NOT_WAIT = 0x02 | 0x40;
    private static final int PEEKED_BYTES = 2_048;
    private static final int CONTROL_BYTES = 64;
    private static final int TIMESTAMP_BYTES = 32;

    private static final int TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int ESTABLISHED = 1;

    private final MethodHandle recvmsg;
    private final MethodHandle getsockopt;
    private final MemorySegment state;
    private final MemorySegment stateLength;
    private final MemorySegment message;
    private final MemorySegment control;

    @SuppressWarnings("restricted") // These are in every libc, with these signatures.
    KernelTimestamp() {
        var linker = Linker.nativeLinker();
        recvmsg =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("recvmsg"),
                        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
        getsockopt =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("getsockopt"),
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
        var arena = Arena.ofAuto();
        state = arena.allocate(1);
        stateLength = arena.allocate(4, 4);
        control = arena.allocate(CONTROL_BYTES, 8);
        var bytes = arena.allocate(PEEKED_BYTES, 8);
        var vector = arena.allocate(16, 8);
        vector.set(ADDRESS, 0, bytes);
        vector.set(JAVA_LONG, 8, PEEKED_BYTES);
        // struct msghdr: name, its length, vector, its length, control, its length, flags.
        message = arena.allocate(56, 8);
        message.set(ADDRESS, 16, vector);
        message.set(JAVA_LONG, 24, 1);
        message.set(ADDRESS, 32, control);
    }

    /**
     * Returns when the last of the readable bytes arrived, in nanoseconds since 1970.
     *
     * @return {@link TimestampedReads#NONE} if no data is available or it has no timestamp
     */
    long arrivalNanos(int socket) {
        message.set(JAVA_LONG, 40, CONTROL_BYTES);
        if (peek(socket) <= 0 || message.get(JAVA_LONG, 40) < TIMESTAMP_BYTES) {
            return TimestampedReads.NONE;
        }
        // struct cmsghdr: length, level, type; then a struct timespec.
        return control.get(JAVA_INT, 8) == SOL_SOCKET && control.get(JAVA_INT, 12) == SO_TIMESTAMPNS
                ? control.get(JAVA_LONG, 16) * 1_000_000_000L + control.get(JAVA_LONG, 24)
                : TimestampedReads.NONE;
    }

    /** Whether the client has closed or reset the connection. */
    boolean isClosed(int socket) {
        stateLength.set(JAVA_INT, 0, 1); // The state is the first byte of struct tcp_info.
        try {
            var failed = (int) getsockopt.invokeExact(socket, TCP, TCP_INFO, state, stateLength);
            return failed != 0 || state.get(JAVA_BYTE, 0) != ESTABLISHED;
        } catch (Throwable e) {
            throw new IllegalStateException("getsockopt throws nothing by itself", e);
        }
    }

    private long peek(int socket) {
        try {
            return (long) recvmsg.invokeExact(socket, message, PEEK_AND_DO_NOT_WAIT);
        } catch (Throwable e) {
            throw new IllegalStateException("recvmsg throws nothing by itself", e);
        }
    }
}
