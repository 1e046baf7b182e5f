package dev.orbweaver.internal.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.model.CrawlUrl;

/**
 * Resolves a link in one pass over its bytes and writes the resolved URL into a buffer.
 *
 * <p>The buffer always has the scheme, the authority and then the path read so far, with dot
 * segments removed; a {@code ..} moves the write position back to the slash before. Two facts are
 * recorded in the same pass: where the path starts, and whether the URL may differ from its normal
 * form. If it cannot, the buffer itself is hashed.
 *
 * <p>A table maps each byte to what the URL standard does with it: keep it, escape it, or something
 * that this class does not do (tabs and line breaks, backslashes, non-ASCII bytes). In the last
 * case the result is {@link ReferenceResult#NEEDS_FULL_PARSE}. The same holds for escaped dots,
 * hosts with characters other than letters, digits, hyphens, underscores and dots, hosts whose last
 * label starts with a digit or is empty, unusual ports, and bases that are not http.
 */
final class FastReferenceResolver {

    enum ReferenceResult {
        RESOLVED,
        /** The reference is invalid, or resolves to a URL that a crawl does not accept. */
        REJECTED,
        /** {@link WhatwgUrl} must parse it. */
        NEEDS_FULL_PARSE
    }

    private static final byte UNSUPPORTED = 0;
    private static final byte KEEP = 1;
    private static final byte ESCAPE = 2;
    private static final byte SLASH = 3;
    private static final byte PERCENT = 4;
    private static final byte QUESTION_MARK = 5;
    private static final byte HASH = 6;

    private static final byte[] IN_PATH = table(PercentEncodeSet.PATH);
    private static final byte[] IN_QUERY = table(PercentEncodeSet.SPECIAL_QUERY);
    private static final byte[] IN_HOST = hostTable();

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(ISO_8859_1);
    private static final byte[] HTTP = "http://".getBytes(ISO_8859_1);
    private static final byte[] HTTPS = "https://".getBytes(ISO_8859_1);

    private final boolean usable;
    private final NormalForm normalForm;
    private final byte[] baseText;
    private final String baseHost;
    private final boolean baseHttps;
    private final int basePathStart;
    private final int baseDirectoryEnd;
    private final int basePathEnd;
    private final boolean baseIsPlain;

    private byte[] out = new byte[512];
    private int length;
    private int pathStart;
    private boolean isPlain;
    private String host;

    FastReferenceResolver(WhatwgUrl base, NormalForm normalForm) {
        this(
                base.isHttp() ? base.requestText() : "",
                base.host().orElse(""),
                base.path().length(),
                normalForm);
    }

    FastReferenceResolver(CrawlUrl base, NormalForm normalForm) {
        this(base.text(), base.host(), pathLength(base.text()), normalForm);
    }

    /**
     * @param text a serialised http URL without credentials and fragment, or empty
     */
    private FastReferenceResolver(String text, String host, int pathLength, NormalForm normalForm) {
        this.normalForm = normalForm;
        this.usable = !text.isEmpty() && text.length() < CrawlUrls.LENGTH_MAX;
        this.baseText = text.getBytes(ISO_8859_1);
        this.baseHost = host;
        this.baseHttps = text.startsWith("https:");
        this.basePathStart = usable ? CrawlUrls.pathStart(text) : 0;
        this.basePathEnd = basePathStart + pathLength;
        this.baseDirectoryEnd = usable ? text.lastIndexOf('/', basePathEnd - 1) + 1 : 0;
        this.baseIsPlain =
                usable
                        && normalForm.keepsPlainUrls()
                        && isPlain(text.substring(basePathStart, basePathEnd));
        this.host = baseHost;
    }

    private static int pathLength(String text) {
        var mark = text.indexOf('?');
        return (mark < 0 ? text.length() : mark) - CrawlUrls.pathStart(text);
    }

    private static boolean isPlain(String path) {
        return path.indexOf('%') < 0 && !path.contains("//");
    }

    private static byte[] table(PercentEncodeSet set) {
        var table = new byte[256];
        for (var b = 0x20; b < 0x7F; b++) {
            table[b] = set.contains(b) ? ESCAPE : KEEP;
        }
        table['%'] = PERCENT;
        table['#'] = HASH;
        if (set == PercentEncodeSet.PATH) {
            table['/'] = SLASH;
            table['?'] = QUESTION_MARK;
            table['\\'] = UNSUPPORTED;
        }
        return table;
    }

    /** Maps each byte allowed in a host to its lower case, all others to zero. */
    private static byte[] hostTable() {
        var table = new byte[256];
        for (var b = 0x20; b < 0x7F; b++) {
            if (Ascii.isDigit(b) || b == '-' || b == '.' || b == '_') {
                table[b] = (byte) b;
            } else if (Ascii.isAlpha(b)) {
                table[b] = (byte) (b | 0x20);
            }
        }
        return table;
    }

    /** Returns the URL of the last call, whose result was {@link ReferenceResult#RESOLVED}. */
    CrawlUrl url() {
        var key =
                isPlain
                        ? normalForm.fingerprintOfPlain(out, length)
                        : normalForm.fingerprint(out, pathStart, length);
        return new CrawlUrl(new String(out, 0, length, ISO_8859_1), host, key);
    }

    ReferenceResult resolve(byte[] in, int from, int to) {
        if (!usable) {
            return ReferenceResult.NEEDS_FULL_PARSE;
        }
        var start = from;
        var end = to;
        while (start < end && (in[start] & 0xFF) <= ' ') {
            start++;
        }
        while (end > start && (in[end - 1] & 0xFF) <= ' ') {
            end--;
        }
        if (start == end || in[start] == '#') {
            reserve(0);
            return wholeBase();
        }
        var colon = schemeEnd(in, start, end);
        if (colon >= 0 && !isHttp(in, start, colon)) {
            return ReferenceResult.REJECTED;
        }
        if (end - start > CrawlUrls.LENGTH_MAX) {
            return ReferenceResult.NEEDS_FULL_PARSE;
        }
        reserve(end - start);
        if (colon >= 0) {
            return absolute(in, start, colon, end);
        }
        if (in[start] == '?') {
            return fromBase(basePathEnd, in, start, end);
        }
        if (in[start] != '/') {
            return fromBase(baseDirectoryEnd, in, start, end);
        }
        return start + 1 < end && in[start + 1] == '/'
                ? authority(baseHttps, in, start + 2, end)
                : fromBase(basePathStart, in, start, end);
    }

    /** Ensures capacity for the base, a scheme, and a reference whose every byte is escaped. */
    private void reserve(int referenceLength) {
        var size = baseText.length + HTTPS.length + referenceLength * 3 + 1;
        if (out.length < size) {
            out = new byte[Math.max(size, out.length * 2)];
        }
    }

    private ReferenceResult wholeBase() {
        copyBase(baseText.length);
        isPlain = isPlain && basePathEnd == baseText.length;
        return finish();
    }

    private void copyBase(int end) {
        System.arraycopy(baseText, 0, out, 0, end);
        length = end;
        pathStart = basePathStart;
        isPlain = baseIsPlain;
        host = baseHost;
    }

    private ReferenceResult fromBase(int baseEnd, byte[] in, int start, int end) {
        copyBase(baseEnd);
        if (baseEnd == basePathStart) {
            isPlain = normalForm.keepsPlainUrls();
        }
        return path(in, start, end);
    }

    private static int schemeEnd(byte[] in, int start, int end) {
        if (!Ascii.isAlpha(in[start])) {
            return -1;
        }
        var i = start + 1;
        while (i < end && Ascii.isSchemeRest(in[i])) {
            i++;
        }
        return i < end && in[i] == ':' ? i : -1;
    }

    private static boolean isHttp(byte[] in, int start, int colon) {
        var schemeLength = colon - start;
        return (schemeLength == 4 || (schemeLength == 5 && (in[start + 4] | 0x20) == 's'))
                && (in[start] | 0x20) == 'h'
                && (in[start + 1] | 0x20) == 't'
                && (in[start + 2] | 0x20) == 't'
                && (in[start + 3] | 0x20) == 'p';
    }

    private ReferenceResult absolute(byte[] in, int start, int colon, int end) {
        if (colon + 2 >= end || in[colon + 1] != '/' || in[colon + 2] != '/') {
            return ReferenceResult.NEEDS_FULL_PARSE;
        }
        return authority(colon - start == 5, in, colon + 3, end);
    }

    private ReferenceResult authority(boolean https, byte[] in, int start, int end) {
        var prefix = https ? HTTPS : HTTP;
        System.arraycopy(prefix, 0, out, 0, prefix.length);
        length = prefix.length;
        isPlain = normalForm.keepsPlainUrls();
        var i = start;
        var labelStart = start;
        while (i < end && IN_HOST[in[i] & 0xFF] != 0) {
            out[length++] = IN_HOST[in[i] & 0xFF];
            if (in[i] == '.') {
                labelStart = i + 1;
            }
            i++;
        }
        if (i == labelStart || Ascii.isDigit(in[labelStart])) {
            return ReferenceResult.NEEDS_FULL_PARSE;
        }
        var hostEnd = length;
        if (i < end && in[i] == ':') {
            i = port(https, in, i + 1, end);
        }
        if (i < 0 || (i < end && in[i] != '/' && in[i] != '?' && in[i] != '#')) {
            return ReferenceResult.NEEDS_FULL_PARSE;
        }
        setHost(prefix.length, hostEnd);
        pathStart = length;
        if (i == end || in[i] != '/') {
            out[length++] = '/';
        }
        return path(in, i, end);
    }

    /**
     * Sets the host. Links mostly stay on their host, so its text is created only when it changes.
     */
    private void setHost(int start, int end) {
        if (end - start != host.length() || !isHost(start)) {
            host = new String(out, start, end - start, ISO_8859_1);
        }
    }

    private boolean isHost(int start) {
        for (var i = 0; i < host.length(); i++) {
            if (host.charAt(i) != out[start + i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Copies a port unless it is the default and returns where it ends; -1 for anything unusual.
     */
    private int port(boolean https, byte[] in, int start, int end) {
        var i = start;
        var value = 0;
        while (i < end && i < start + 5 && Ascii.isDigit(in[i])) {
            value = value * 10 + in[i++] - '0';
        }
        if (i == start || in[start] == '0' || value > 65535) {
            return -1;
        }
        if (value != (https ? 443 : 80)) {
            out[length++] = ':';
            System.arraycopy(in, start, out, length, i - start);
            length += i - start;
        }
        return i;
    }

    /** Appends path and query. The bytes start with a slash, or with a segment after a slash. */
    private ReferenceResult path(byte[] in, int start, int end) {
        var i = start;
        while (i < end) {
            var b = in[i];
            switch (IN_PATH[b & 0xFF]) {
                case KEEP -> {
                    if (b == '.' && out[length - 1] == '/') {
                        var behind = dotSegment(in, i, end);
                        if (behind > i) {
                            i = behind;
                            continue;
                        }
                    }
                    out[length++] = b;
                }
                case SLASH -> {
                    isPlain &= length == pathStart || out[length - 1] != '/';
                    out[length++] = b;
                }
                case ESCAPE -> escape(b);
                case PERCENT -> {
                    if (isEscapedDot(in, i, end)) {
                        return ReferenceResult.NEEDS_FULL_PARSE;
                    }
                    isPlain = false;
                    out[length++] = b;
                }
                case QUESTION_MARK -> {
                    return query(in, i, end);
                }
                case HASH -> {
                    return finish();
                }
                default -> {
                    return ReferenceResult.NEEDS_FULL_PARSE;
                }
            }
            i++;
        }
        return finish();
    }

    /** Consumes a segment of one or two dots with the slash after it and returns where it ends. */
    private int dotSegment(byte[] in, int at, int end) {
        var twice = at + 1 < end && in[at + 1] == '.';
        var behind = twice ? at + 2 : at + 1;
        if (behind < end && in[behind] != '/' && in[behind] != '?' && in[behind] != '#') {
            return at;
        }
        if (twice && length - 1 > pathStart) {
            length--;
            while (out[length - 1] != '/') {
                length--;
            }
        }
        return behind < end && in[behind] == '/' ? behind + 1 : behind;
    }

    private static boolean isEscapedDot(byte[] in, int at, int end) {
        return at + 2 < end && in[at + 1] == '2' && (in[at + 2] | 0x20) == 'e';
    }

    private ReferenceResult query(byte[] in, int mark, int end) {
        out[length++] = '?';
        var i = mark + 1;
        var queryStart = length;
        for (; i < end; i++) {
            var b = in[i];
            switch (IN_QUERY[b & 0xFF]) {
                case KEEP -> out[length++] = b;
                case ESCAPE -> escape(b);
                case PERCENT -> {
                    isPlain = false;
                    out[length++] = b;
                }
                case HASH -> {
                    isPlain &= length > queryStart;
                    return finish();
                }
                default -> {
                    return ReferenceResult.NEEDS_FULL_PARSE;
                }
            }
        }
        isPlain &= length > queryStart;
        return finish();
    }

    private void escape(byte b) {
        out[length++] = '%';
        out[length++] = HEX[b >> 4];
        out[length++] = HEX[b & 0xF];
    }

    private ReferenceResult finish() {
        return length > CrawlUrls.LENGTH_MAX || host.length() > CrawlUrls.HOST_LENGTH_MAX
                ? ReferenceResult.REJECTED
                : ReferenceResult.RESOLVED;
    }
}
