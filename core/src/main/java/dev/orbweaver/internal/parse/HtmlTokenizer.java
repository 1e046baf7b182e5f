package dev.orbweaver.internal.parse;

import static dev.orbweaver.internal.parse.ByteScan.isLetter;
import static dev.orbweaver.internal.parse.ByteScan.isSpace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/**
 * The tokenizer of the HTML standard (section 13.2.5) over bytes, without a tree and without an
 * object per token.
 *
 * <p><b>Why bytes suffice.</b> Every byte that the tokenizer acts on is below 0x40 or is a letter
 * of a tag name. In each encoding of the web except UTF-16 and ISO-2022-JP such a byte is never
 * part of a longer character. So a page can be tokenized before it is decoded, and only the few
 * needed values are decoded at all. Pages in those two encodings are converted to UTF-8 first.
 *
 * <p><b>How it is used.</b> {@link #next} moves to the next token; the accessors describe it by
 * offsets into the page. Text is not a token of its own: each token has the offsets of the text
 * before it, which halves the steps for callers that ignore text. Character references are not
 * decoded ({@link CharacterReferences} does that).
 *
 * <p><b>Element semantics.</b> As in the standard, the tokenizer does not know that {@code
 * <script>} is followed by script text or that CDATA sections exist in SVG. {@link OpenElements}
 * controls it through {@link #readContentAs} and {@link #allowCdata}.
 *
 * <p>Every byte is read a bounded number of times: an unclosed construct extends to the end of the
 * page and ends the parse.
 */
final class HtmlTokenizer {

    enum Token {
        START_TAG,
        END_TAG,
        COMMENT,
        DOCTYPE,
        CDATA,
        /** Markup without meaning: {@code </>}. */
        NOTHING,
        END
    }

    /** The state in which text is read: how it ends and what is decoded in it. */
    enum Content {
        DATA,
        RCDATA,
        RAW_TEXT,
        SCRIPT,
        PLAINTEXT,
        CDATA
    }

    /**
     * Maximum number of attributes kept per tag. The limit bounds memory; no real page needs more.
     */
    static final int ATTRIBUTES_MAX = 10_000;

    private static final byte[] DOCTYPE_NAME = "doctype".getBytes(US_ASCII);
    private static final byte[] CDATA_OPENING = "[CDATA[".getBytes(US_ASCII);

    private static final byte NAME_END = 1;
    private static final byte ATTRIBUTE_NAME_END = 2;
    private static final byte VALUE_END = 4;
    private static final byte[] ENDS = new byte[256];

    static {
        for (var space : " \t\n\f\r".getBytes(US_ASCII)) {
            ENDS[space] = NAME_END | ATTRIBUTE_NAME_END | VALUE_END;
        }
        ENDS['/'] = NAME_END | ATTRIBUTE_NAME_END;
        ENDS['>'] = NAME_END | ATTRIBUTE_NAME_END | VALUE_END;
        ENDS['='] = ATTRIBUTE_NAME_END;
    }

    private final byte[] bytes;
    private final int end;
    private int position;
    private Content content = Content.DATA;
    private byte[] rawName = {};
    private boolean cdataAllowed;

    private Content textContent = Content.DATA;
    private int textStart;
    private int textEnd;
    private int start;
    private int stop;
    private boolean selfClosing;
    private int attributeCount;
    private int[] attributeOffsets = new int[64];

    HtmlTokenizer(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.position = from;
        this.end = end;
    }

    /**
     * Reads what follows as the content of the element {@code name} (lower case), up to its end
     * tag.
     */
    void readContentAs(Content following, byte[] name) {
        content = following;
        rawName = name;
    }

    /** Sets whether {@code <![CDATA[} opens a section, as in SVG and MathML, or a comment. */
    void allowCdata(boolean allowed) {
        cdataAllowed = allowed;
    }

    int textStart() {
        return textStart;
    }

    int textEnd() {
        return textEnd;
    }

    Content textContent() {
        return textContent;
    }

    /**
     * Returns the start of a tag's name, or of the content of a comment, doctype or CDATA section.
     */
    int start() {
        return start;
    }

    int stop() {
        return stop;
    }

    boolean isSelfClosing() {
        return selfClosing;
    }

    /** Returns the number of attributes of the tag, including repeated names. */
    int attributeCount() {
        return attributeCount;
    }

    int attributeNameStart(int attribute) {
        return attributeOffsets[attribute * 4];
    }

    int attributeNameEnd(int attribute) {
        return attributeOffsets[attribute * 4 + 1];
    }

    int valueStart(int attribute) {
        return attributeOffsets[attribute * 4 + 2];
    }

    int valueEnd(int attribute) {
        return attributeOffsets[attribute * 4 + 3];
    }

    /** Returns the tag's first attribute with this name (lower case), or -1 (13.2.5.33). */
    int attribute(byte[] name) {
        for (var offset = 0; offset < attributeCount * 4; offset += 4) {
            if (ByteScan.equalsIgnoreCase(
                    bytes, attributeOffsets[offset], attributeOffsets[offset + 1], name)) {
                return offset / 4;
            }
        }
        return -1;
    }

    /** Returns whether an attribute's raw value is this lower-case ASCII word, ignoring case. */
    boolean valueEqualsIgnoreCase(int attribute, byte[] word) {
        return ByteScan.equalsIgnoreCase(bytes, valueStart(attribute), valueEnd(attribute), word);
    }

    /** Moves to the next token; {@link Token#END} is the last one. */
    Token next() {
        textStart = position;
        textContent = content;
        return content == Content.DATA ? afterData() : afterRawText();
    }

    private Token afterData() {
        var at = position;
        while (true) {
            at = ByteScan.indexOf(bytes, at, end, (byte) '<');
            if (at + 1 >= end) {
                return endAfterText(end);
            }
            var character = bytes[at + 1];
            if (isLetter(character)) {
                textEnd = at;
                return tag(at + 1, Token.START_TAG);
            }
            switch (character) {
                case '/' -> {
                    return at + 2 == end ? endAfterText(end) : endTagOrComment(at);
                }
                case '!' -> {
                    textEnd = at;
                    return declaration(at + 2);
                }
                case '?' -> {
                    textEnd = at;
                    return bogusComment(at + 1);
                }
                default -> at++;
            }
        }
    }

    private Token afterRawText() {
        var reading = content;
        content = Content.DATA;
        if (reading == Content.CDATA) {
            textEnd = position;
            return cdata(position);
        }
        var at =
                switch (reading) {
                    case SCRIPT -> RawText.scriptEnd(bytes, position, end, rawName);
                    case RCDATA, RAW_TEXT -> RawText.end(bytes, position, end, rawName);
                    case DATA, PLAINTEXT, CDATA -> end;
                };
        if (at == end) {
            return endAfterText(end);
        }
        textEnd = at;
        return tag(at + 2, Token.END_TAG);
    }

    private Token endAfterText(int until) {
        textEnd = until;
        return endOfPage();
    }

    private Token endOfPage() {
        position = end;
        start = end;
        stop = end;
        return Token.END;
    }

    private Token endTagOrComment(int at) {
        textEnd = at;
        if (isLetter(bytes[at + 2])) {
            return tag(at + 2, Token.END_TAG);
        }
        if (bytes[at + 2] == '>') {
            position = at + 3;
            return Token.NOTHING;
        }
        return bogusComment(at + 2);
    }

    private Token declaration(int at) {
        if (at + 1 < end && bytes[at] == '-' && bytes[at + 1] == '-') {
            return comment(at + 2);
        }
        if (ByteScan.startsWith(bytes, at, end, DOCTYPE_NAME)) {
            // Every state of a doctype, also inside its quotes, ends at the first ">".
            return upToGreaterThan(at + DOCTYPE_NAME.length, Token.DOCTYPE);
        }
        if (cdataAllowed && opensCdata(at)) {
            return cdata(at + CDATA_OPENING.length);
        }
        return bogusComment(at);
    }

    private boolean opensCdata(int at) {
        var stopAt = at + CDATA_OPENING.length;
        return stopAt <= end
                && Arrays.equals(bytes, at, stopAt, CDATA_OPENING, 0, CDATA_OPENING.length);
    }

    private Token bogusComment(int at) {
        return upToGreaterThan(at, Token.COMMENT);
    }

    private Token upToGreaterThan(int at, Token token) {
        start = at;
        stop = ByteScan.indexOf(bytes, at, end, (byte) '>');
        position = Math.min(stop + 1, end);
        return token;
    }

    private Token cdata(int at) {
        start = at;
        var close = at;
        while (true) {
            close = ByteScan.indexOf(bytes, close, end, (byte) '>');
            if (close == end) {
                stop = end;
                position = end;
                return Token.CDATA;
            }
            if (close - 2 >= at && bytes[close - 1] == ']' && bytes[close - 2] == ']') {
                stop = close - 2;
                position = close + 1;
                return Token.CDATA;
            }
            close++;
        }
    }

    /** Reads a comment from its content on (13.2.5.43 to 13.2.5.52). */
    private Token comment(int at) {
        start = at;
        var close = at;
        while (true) {
            close = ByteScan.indexOf(bytes, close, end, (byte) '>');
            if (close == end) {
                stop = commentEndOfPage(at);
                position = end;
                return Token.COMMENT;
            }
            var dashes = close > at && bytes[close - 1] == '!' ? close - 1 : close;
            if (endsInTwoDashes(at, dashes)) {
                stop = dashes - 2;
            } else if (close == at || (close == at + 1 && bytes[at] == '-')) {
                stop = at;
            } else {
                close++;
                continue;
            }
            position = close + 1;
            return Token.COMMENT;
        }
    }

    /** Ends an unclosed comment and drops a partial end marker. */
    private int commentEndOfPage(int at) {
        if (end > at && bytes[end - 1] == '!' && endsInTwoDashes(at, end - 1)) {
            return end - 3;
        }
        if (endsInTwoDashes(at, end)) {
            return end - 2;
        }
        return end > at && bytes[end - 1] == '-' ? end - 1 : end;
    }

    private boolean endsInTwoDashes(int from, int until) {
        return until - 2 >= from && bytes[until - 1] == '-' && bytes[until - 2] == '-';
    }

    /**
     * Reads a tag from its name on (13.2.5.8, 13.2.5.32 to 13.2.5.40); an incomplete one is
     * dropped.
     */
    private Token tag(int nameFrom, Token token) {
        var at = skip(nameFrom, NAME_END);
        start = nameFrom;
        stop = at;
        attributeCount = 0;
        selfClosing = false;
        if (at < end && bytes[at] == '>') {
            position = at + 1;
            return token;
        }
        while (true) {
            at = skipSpace(at);
            if (at >= end) {
                return endOfPage();
            }
            var character = bytes[at];
            if (character == '>') {
                position = at + 1;
                return token;
            }
            if (character == '/') {
                at++;
                if (at < end && bytes[at] == '>') {
                    selfClosing = true;
                }
                continue;
            }
            at = readAttribute(at);
        }
    }

    private int readAttribute(int nameStart) {
        // A leading equals sign belongs to the name.
        var nameEnd = skip(nameStart + 1, ATTRIBUTE_NAME_END);
        var at = skipSpace(nameEnd);
        if (at >= end || bytes[at] != '=') {
            addAttribute(nameStart, nameEnd, nameEnd, nameEnd);
            return at;
        }
        at = skipSpace(at + 1);
        if (at >= end) {
            return end;
        }
        var quote = bytes[at];
        if (quote == '"' || quote == '\'') {
            var close = ByteScan.indexOf(bytes, at + 1, end, quote);
            addAttribute(nameStart, nameEnd, at + 1, close);
            return close + 1;
        }
        var close = skip(at, VALUE_END);
        addAttribute(nameStart, nameEnd, at, close);
        return close;
    }

    private void addAttribute(int nameStart, int nameEnd, int valueStart, int valueEnd) {
        var offset = attributeCount * 4;
        if (offset == attributeOffsets.length) {
            if (attributeCount == ATTRIBUTES_MAX) {
                return;
            }
            attributeOffsets =
                    Arrays.copyOf(attributeOffsets, Math.min(offset * 2, ATTRIBUTES_MAX * 4));
        }
        attributeOffsets[offset] = nameStart;
        attributeOffsets[offset + 1] = nameEnd;
        attributeOffsets[offset + 2] = valueStart;
        attributeOffsets[offset + 3] = valueEnd;
        attributeCount++;
    }

    static boolean endsName(byte character) {
        return (ENDS[character & 0xFF] & NAME_END) != 0;
    }

    private int skip(int from, int until) {
        var at = from;
        while (at < end && (ENDS[bytes[at] & 0xFF] & until) == 0) {
            at++;
        }
        return at;
    }

    private int skipSpace(int from) {
        var at = from;
        while (at < end && isSpace(bytes[at])) {
            at++;
        }
        return at;
    }
}
