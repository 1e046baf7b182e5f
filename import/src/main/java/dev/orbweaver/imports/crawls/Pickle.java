package dev.orbweaver.imports.crawls;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Reads the plain values of a Python pickle (protocols 2 to 5): dictionaries, lists, texts and
 * integers. No class of the pickle is ever created: objects become {@link Value#OBJECT}, and values
 * of no interest {@link Value#OTHER}.
 */
final class Pickle {

    /** Stands for a value that is not read. */
    enum Value {
        OBJECT,
        OTHER,
        MARK
    }

    private final ByteBuffer in;
    private final ArrayDeque<Object> stack = new ArrayDeque<>();
    private final Map<Integer, Object> memo = new HashMap<>();

    Pickle(byte[] bytes) {
        this.in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the value; empty if the bytes are not a pickle. */
    Optional<Object> read() {
        try {
            if (in.get() != (byte) 0x80) {
                return Optional.empty();
            }
            in.get(); // The version: what is known of it is in its opcodes.
            while (true) {
                var code = in.get() & 0xFF;
                if (code == '.') {
                    return Optional.of(stack.pop());
                }
                if (!execute(code)) {
                    return Optional.empty();
                }
            }
        } catch (BufferUnderflowException
                | NoSuchElementException
                | IllegalArgumentException
                | ArithmeticException
                | ClassCastException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the opcode is known. */
    private boolean execute(int code) {
        switch (code) {
            case 0x95 -> in.getLong(); // FRAME: only a hint for buffering.
            case '(' -> stack.push(Value.MARK);
            case '0' -> stack.pop();
            case '1' -> popToMark();
            case 'N', 0x88, 0x89 -> stack.push(Value.OTHER);
            case 'G' -> {
                in.getDouble();
                stack.push(Value.OTHER);
            }
            case 'c' -> {
                line();
                line();
                stack.push(Value.OBJECT);
            }
            case 0x93, 0x81, 'R' -> { // STACK_GLOBAL, NEWOBJ, REDUCE: two values become one.
                stack.pop();
                stack.pop();
                stack.push(Value.OBJECT);
            }
            case 'b' -> stack.pop(); // BUILD: sets the state of an object.
            default -> {
                return number(code) || text(code) || collection(code) || memo(code);
            }
        }
        return true;
    }

    private boolean number(int code) {
        switch (code) {
            case 'J' -> stack.push((long) in.getInt());
            case 'K' -> stack.push((long) (in.get() & 0xFF));
            case 'M' -> stack.push((long) (in.getShort() & 0xFFFF));
            case 0x8A -> stack.push(longOf(bytes(in.get() & 0xFF)));
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Little-endian two's complement; larger numbers are of no interest. */
    private static Object longOf(byte[] bytes) {
        if (bytes.length > Long.BYTES) {
            return Value.OTHER;
        }
        var value = bytes.length > 0 && bytes[bytes.length - 1] < 0 ? -1L : 0L;
        for (var i = bytes.length - 1; i >= 0; i--) {
            value = (value << Byte.SIZE) | (bytes[i] & 0xFF);
        }
        return value;
    }

    private boolean text(int code) {
        switch (code) {
            case 0x8C -> stack.push(new String(bytes(in.get() & 0xFF), UTF_8));
            case 'X' -> stack.push(new String(bytes(in.getInt()), UTF_8));
            case 0x8D -> stack.push(new String(bytes(Math.toIntExact(in.getLong())), UTF_8));
            case 'C', 'U' -> skip(in.get() & 0xFF);
            case 'B', 'T' -> skip(in.getInt());
            case 0x8E, 0x96 -> skip(Math.toIntExact(in.getLong()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private void skip(int length) {
        bytes(length);
        stack.push(Value.OTHER);
    }

    @CanIgnoreReturnValue
    private byte[] bytes(int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        var bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private void line() {
        while (in.get() != '\n') {
            // The name of a module or class.
        }
    }

    private boolean collection(int code) {
        switch (code) {
            case '}' -> stack.push(new HashMap<Object, Object>());
            case ']', 0x8F -> stack.push(new ArrayList<>());
            case ')' -> stack.push(Value.OTHER);
            case 0x85 -> tuple(1);
            case 0x86 -> tuple(2);
            case 0x87 -> tuple(3);
            case 't', 0x91 -> {
                popToMark();
                stack.push(Value.OTHER);
            }
            case 's' -> {
                var value = stack.pop();
                var key = stack.pop();
                put(key, value);
            }
            case 'u' -> {
                var items = popToMark();
                for (var i = 0; i + 1 < items.size(); i += 2) {
                    put(items.get(i), items.get(i + 1));
                }
            }
            case 'a' -> stack.pop();
            case 'e', 0x90 -> popToMark();
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Sets an item of the dictionary on top; the items of an object are not read. */
    @SuppressWarnings("unchecked") // Every map on the stack was created here.
    private void put(Object key, Object value) {
        if (stack.element() instanceof Map<?, ?> map && key instanceof String) {
            ((Map<Object, Object>) map).put(key, value);
        }
    }

    private void tuple(int size) {
        for (var i = 0; i < size; i++) {
            stack.pop();
        }
        stack.push(Value.OTHER);
    }

    @CanIgnoreReturnValue
    private List<Object> popToMark() {
        var items = new ArrayList<Object>();
        for (var item = stack.pop(); item != Value.MARK; item = stack.pop()) {
            items.add(item);
        }
        return items.reversed();
    }

    private boolean memo(int code) {
        switch (code) {
            case 0x94 -> memo.put(memo.size(), stack.element());
            case 'q' -> memo.put(in.get() & 0xFF, stack.element());
            case 'r' -> memo.put(in.getInt(), stack.element());
            case 'h' -> stack.push(recall(in.get() & 0xFF));
            case 'j' -> stack.push(recall(in.getInt()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private Object recall(int index) {
        return memo.getOrDefault(index, Value.OTHER);
    }
}
