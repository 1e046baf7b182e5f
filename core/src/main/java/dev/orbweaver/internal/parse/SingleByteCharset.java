package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The single-byte encodings of the web (WHATWG Encoding standard, section 9) that the JDK lacks or
 * decodes differently: ASCII and a table of 128 characters.
 */
final class SingleByteCharset extends Charset {

    private static final String RESOURCE = "single-byte-encodings.txt";
    private static final char UNMAPPED = '\uFFFD';
    private static final Map<String, SingleByteCharset> BY_NAME = load();

    private final char[] high;

    private SingleByteCharset(String name, char[] high) {
        super(name, null);
        this.high = high;
    }

    static Optional<Charset> byName(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    @Override
    public boolean contains(Charset other) {
        return other.equals(this) || other.equals(US_ASCII);
    }

    @Override
    public CharsetDecoder newDecoder() {
        return new CharsetDecoder(this, 1, 1) {
            @Override
            protected CoderResult decodeLoop(ByteBuffer in, CharBuffer out) {
                while (in.hasRemaining()) {
                    if (!out.hasRemaining()) {
                        return CoderResult.OVERFLOW;
                    }
                    var value = in.get(in.position());
                    var character = value >= 0 ? (char) value : high[value & 0x7F];
                    if (character == UNMAPPED) {
                        return CoderResult.unmappableForLength(1);
                    }
                    in.get();
                    out.put(character);
                }
                return CoderResult.UNDERFLOW;
            }
        };
    }

    @Override
    public CharsetEncoder newEncoder() {
        return new CharsetEncoder(this, 1, 1) {
            @Override
            protected CoderResult encodeLoop(CharBuffer in, ByteBuffer out) {
                while (in.hasRemaining()) {
                    if (!out.hasRemaining()) {
                        return CoderResult.OVERFLOW;
                    }
                    var character = in.get(in.position());
                    if (Character.isHighSurrogate(character)) {
                        return surrogates(in);
                    }
                    var value = byteOf(character);
                    if (value < 0) {
                        return CoderResult.unmappableForLength(1);
                    }
                    in.get();
                    out.put((byte) value);
                }
                return CoderResult.UNDERFLOW;
            }
        };
    }

    private static CoderResult surrogates(CharBuffer in) {
        if (in.remaining() < 2) {
            return CoderResult.UNDERFLOW;
        }
        return Character.isLowSurrogate(in.get(in.position() + 1))
                ? CoderResult.unmappableForLength(2)
                : CoderResult.malformedForLength(1);
    }

    private int byteOf(char character) {
        if (character < 0x80) {
            return character;
        }
        for (var i = 0; i < high.length; i++) {
            if (high[i] == character && character != UNMAPPED) {
                return 0x80 + i;
            }
        }
        return -1;
    }

    private static Map<String, SingleByteCharset> load() {
        return ResourceTable.read(RESOURCE).stream()
                .map(SingleByteCharset::read)
                .collect(Collectors.toUnmodifiableMap(Charset::name, charset -> charset));
    }

    private static SingleByteCharset read(String[] words) {
        var high = new char[128];
        for (var i = 0; i < high.length; i++) {
            high[i] = (char) Integer.parseInt(words[i + 1], 16);
        }
        return new SingleByteCharset(words[0], high);
    }
}
