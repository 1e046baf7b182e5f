package dev.orbweaver.internal.xml;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.Reader;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * Tokenizes XML leniently, as real sitemaps and feeds need it.
 *
 * <p>A conforming XML parser must stop at the first unescaped ampersand or unclosed element. It
 * also supports document types, with which a few bytes can request other files, addresses or
 * gigabytes. This one supports elements, text, CDATA, predefined and numeric entities; a document
 * type is skipped and its entities stay unexpanded. So nothing can be expanded, fetched or nested,
 * and memory is bounded by the longest text that is kept.
 */
public final class XmlTokenizer {

    /** Longer names, attributes and texts are truncated: no real URL or date is as long. */
    public static final int TEXT_CHARS_MAX = 8_192;

    private static final int ENTITY_CHARS_MAX = 10;

    /** The attributes that are kept, in lower case. */
    private static final Set<String> ATTRIBUTES =
            Set.of("href", "rel", "url", "ispermalink", "xml:base", "xml:lang", "rdf:about");

    private final Reader in;
    private final ToIntFunction<String> references;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder name = new StringBuilder();
    private final StringBuilder value = new StringBuilder();
    private final Map<String, String> attributes = new HashMap<>();
    private final char[] buffer = new char[8_192];
    private int buffered;
    private int position;
    private int pushedBack = -1;
    private boolean truncated;
    private boolean selfClosing;
    private boolean endPending;

    public enum Token {
        START,
        END,
        EOF
    }

    public XmlTokenizer(Reader in) {
        this(in, XmlEntities::resolve);
    }

    /**
     * @param references returns the character for the text between ampersand and semicolon, or -1
     */
    public XmlTokenizer(Reader in, ToIntFunction<String> references) {
        this.in = in;
        this.references = references;
    }

    /** Returns the next tag; the text before it is added to {@link #text}, up to the limit. */
    public Token next() throws IOException {
        if (endPending) {
            endPending = false;
            return Token.END;
        }
        while (true) {
            var c = read();
            if (c < 0) {
                return Token.EOF;
            }
            if (c == '<') {
                var token = afterAngle();
                if (token != null) {
                    return token;
                }
            } else if (c == '&') {
                entity(text);
            } else {
                append(text, c);
            }
        }
    }

    /** Returns the name with its prefix, as written. */
    public String name() {
        return name.toString();
    }

    /**
     * Returns an attribute of the last start tag; empty if there is none. A value over the limit is
     * truncated after it, so that it stays too long for a URL.
     */
    String attribute(String lowerCase) {
        return attributes.getOrDefault(lowerCase, "");
    }

    /** Returns the text since the last {@link #clearText}; empty if it was too long. */
    public String text() {
        return truncated ? "" : text.toString();
    }

    /** Returns the text as far as it was kept. */
    String beginningOfText() {
        return text.toString();
    }

    public void clearText() {
        text.setLength(0);
        truncated = false;
    }

    private @Nullable Token afterAngle() throws IOException {
        var c = read();
        if (c == '!') {
            declaration();
            return null;
        }
        if (c == '?') {
            skipPast("?>");
            return null;
        }
        if (c == '/') {
            name.setLength(0);
            for (c = read(); c >= 0 && c != '>' && c != '<'; c = read()) {
                appendName(c);
            }
            unread(c == '<' ? c : -1);
            return Token.END;
        }
        if (!Character.isLetter(c) && c != '_' && c != ':') {
            // An angle bracket that should have been escaped.
            append(text, '<');
            unread(c);
            return null;
        }
        startTag(c);
        endPending = selfClosing;
        return Token.START;
    }

    private void startTag(int first) throws IOException {
        name.setLength(0);
        attributes.clear();
        selfClosing = false;
        var c = first;
        for (; c >= 0 && c != '>' && c != '/' && c != '<' && !isSpace(c); c = read()) {
            appendName(c);
        }
        var attribute = new StringBuilder();
        var afterSpace = false;
        for (; c >= 0 && c != '>' && c != '<'; c = read()) {
            selfClosing = c == '/' || (selfClosing && isSpace(c));
            if (c == '=') {
                value(attribute.toString());
                attribute.setLength(0);
            } else if (isSpace(c)) {
                afterSpace = true;
            } else if (c != '/' && attribute.length() < 64) {
                // An attribute without a value is ignored.
                attribute.setLength(afterSpace ? 0 : attribute.length());
                attribute.append((char) c);
                afterSpace = false;
            }
        }
        unread(c == '<' ? c : -1);
    }

    private void value(String attribute) throws IOException {
        value.setLength(0);
        var quote = read();
        while (quote >= 0 && isSpace(quote)) {
            quote = read();
        }
        if (quote != '"' && quote != '\'') {
            unread(quote);
            return;
        }
        for (var c = read(); c >= 0 && c != quote; c = read()) {
            if (c == '&') {
                entity(value);
            } else {
                append(value, c);
            }
        }
        var name = attribute.toLowerCase(Locale.ROOT);
        if (ATTRIBUTES.contains(name)) {
            attributes.putIfAbsent(name, value.toString().strip());
        }
    }

    /** Reads a comment, CDATA or document type; only CDATA has text. */
    private void declaration() throws IOException {
        var c = read();
        if (c == '-') {
            c = read();
            if (c == '-') {
                skipPast("-->");
                return;
            }
        } else if (c == '[') {
            cdata();
            return;
        }
        unread(c);
        doctype();
    }

    private void cdata() throws IOException {
        var opening = "CDATA[";
        for (var i = 0; i < opening.length(); i++) {
            var c = read();
            if (c != opening.charAt(i)) {
                unread(c);
                return;
            }
        }
        var brackets = 0;
        for (var c = read(); c >= 0; c = read()) {
            if (c == '>' && brackets >= 2) {
                for (; brackets > 2; brackets--) {
                    append(text, ']');
                }
                return;
            }
            if (c == ']') {
                brackets++;
            } else {
                for (; brackets > 0; brackets--) {
                    append(text, ']');
                }
                append(text, c);
            }
        }
    }

    /** Skips a document type with its internal subset; quoted text there closes nothing. */
    private void doctype() throws IOException {
        var brackets = 0;
        var quote = 0;
        for (var c = read(); c >= 0; c = read()) {
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '[') {
                brackets++;
            } else if (c == ']') {
                brackets--;
            } else if (c == '>' && brackets <= 0) {
                return;
            }
        }
    }

    private void skipPast(String closing) throws IOException {
        var matched = 0;
        for (var c = read(); c >= 0; c = read()) {
            if (c == closing.charAt(matched)) {
                matched++;
            } else if (!(matched == 2 && c == '-')) {
                // In "--->" the end of the comment starts one hyphen later.
                matched = c == closing.charAt(0) ? 1 : 0;
            }
            if (matched == closing.length()) {
                return;
            }
        }
    }

    /** Reads a reference, resolved if it is predefined or numeric, otherwise kept as written. */
    private void entity(StringBuilder to) throws IOException {
        var reference = new StringBuilder(ENTITY_CHARS_MAX);
        var c = read();
        while (reference.length() < ENTITY_CHARS_MAX
                && (c == '#' || (c < 128 && Character.isLetterOrDigit(c)))) {
            reference.append((char) c);
            c = read();
        }
        var meant = c == ';' ? references.applyAsInt(reference.toString()) : -1;
        if (meant >= 0) {
            for (var part : Character.toChars(meant)) {
                append(to, part);
            }
            return;
        }
        append(to, '&');
        for (var i = 0; i < reference.length(); i++) {
            append(to, reference.charAt(i));
        }
        unread(c);
    }

    private void append(StringBuilder to, int c) {
        if (to.length() < TEXT_CHARS_MAX || (to == value && to.length() == TEXT_CHARS_MAX)) {
            to.append((char) c);
        } else if (to == text) {
            truncated = true;
        }
    }

    private void appendName(int c) {
        if (!isSpace(c) && name.length() < 256) {
            name.append((char) c);
        }
    }

    private int read() throws IOException {
        if (pushedBack >= 0) {
            var c = pushedBack;
            pushedBack = -1;
            return c;
        }
        if (position == buffered) {
            buffered = Math.max(in.read(buffer, 0, buffer.length), 0);
            position = 0;
        }
        return buffered == 0 ? -1 : buffer[position++];
    }

    private void unread(int c) {
        pushedBack = c;
    }

    private static boolean isSpace(int c) {
        return c == ' ' || c == '\n' || c == '\t' || c == '\r';
    }
}
