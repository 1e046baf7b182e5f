package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.List;

/** The elements relevant for links, and those whose tags end SVG and MathML. */
enum Tag {
    OTHER,

    A,
    APPLET,
    AREA,
    AUDIO,
    BASE,
    FORM(Role.CONTAINER),
    FRAME,
    FRAMESET,
    IMAGE,
    INPUT,
    KEYGEN,
    LINK,
    MARQUEE,
    OBJECT,
    SELECT,
    SOURCE,
    TRACK,
    VIDEO,
    WBR,

    IFRAME,
    NOEMBED,
    NOFRAMES,
    PLAINTEXT,
    SCRIPT,
    STYLE,
    TEXTAREA,
    XMP,

    ANNOTATION_XML("annotation-xml"),
    DESC,
    FOREIGN_OBJECT("foreignobject"),
    MALIGNMARK,
    MATH,
    MGLYPH,
    MI,
    MN,
    MO,
    MS,
    MTEXT,
    SVG,
    TEMPLATE,
    TITLE,

    FONT,

    B(Role.BREAKOUT),
    BIG(Role.BREAKOUT),
    BLOCKQUOTE(Role.BREAKOUT),
    BODY(Role.BREAKOUT),
    BR(Role.BREAKOUT),
    CENTER(Role.BREAKOUT),
    CODE(Role.BREAKOUT),
    DD(Role.BREAKOUT),
    DIV(Role.BREAKOUT),
    DL(Role.BREAKOUT),
    DT(Role.BREAKOUT),
    EM(Role.BREAKOUT),
    EMBED(Role.BREAKOUT),
    H1(Role.BREAKOUT),
    H2(Role.BREAKOUT),
    H3(Role.BREAKOUT),
    H4(Role.BREAKOUT),
    H5(Role.BREAKOUT),
    H6(Role.BREAKOUT),
    HEAD(Role.BREAKOUT),
    HR(Role.BREAKOUT),
    I(Role.BREAKOUT),
    IMG(Role.BREAKOUT),
    LI(Role.BREAKOUT),
    LISTING(Role.BREAKOUT),
    MENU(Role.BREAKOUT),
    META(Role.BREAKOUT),
    NOBR(Role.BREAKOUT),
    OL(Role.BREAKOUT),
    P(Role.BREAKOUT),
    PRE(Role.BREAKOUT),
    RUBY(Role.BREAKOUT),
    S(Role.BREAKOUT),
    SMALL(Role.BREAKOUT),
    SPAN(Role.BREAKOUT),
    STRIKE(Role.BREAKOUT),
    STRONG(Role.BREAKOUT),
    SUB(Role.BREAKOUT),
    SUP(Role.BREAKOUT),
    TABLE(Role.BREAKOUT),
    TT(Role.BREAKOUT),
    U(Role.BREAKOUT),
    UL(Role.BREAKOUT),
    VAR(Role.BREAKOUT),

    ARTICLE(Role.CONTAINER),
    ASIDE(Role.CONTAINER),
    BASEFONT,
    BGSOUND,
    BUTTON(Role.CONTAINER),
    CAPTION(Role.CONTAINER),
    COL,
    COLGROUP,
    FIGURE(Role.CONTAINER),
    FOOTER(Role.CONTAINER),
    HEADER(Role.CONTAINER),
    HTML(Role.CONTAINER),
    LABEL(Role.CONTAINER),
    MAIN(Role.CONTAINER),
    NAV(Role.CONTAINER),
    NOSCRIPT,
    SECTION(Role.CONTAINER),
    TBODY(Role.CONTAINER),
    TD(Role.CONTAINER),
    TFOOT(Role.CONTAINER),
    TH(Role.CONTAINER),
    THEAD(Role.CONTAINER),
    TR(Role.CONTAINER);

    private enum Role {
        NONE,
        /** Its start tag leaves them (HTML standard, 13.2.6.5). */
        BREAKOUT,
        /** It contains them in practice, so its end tag leaves them. */
        CONTAINER
    }

    private static final int SLOTS = 1024;
    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final Tag[] TAGS = new Tag[SLOTS];
    private static final long[] WORDS = new long[SLOTS];
    private static final List<Tag> LONG =
            Arrays.stream(values()).filter(tag -> tag.bytes.length > Long.BYTES).toList();

    static {
        Arrays.fill(TAGS, OTHER);
        for (var tag : values()) {
            if (tag != OTHER && tag.bytes.length <= Long.BYTES) {
                var word = ByteScan.lowerCaseWord(tag.bytes, 0, tag.bytes.length);
                var slot = slot(word);
                while (TAGS[slot] != OTHER) {
                    slot = (slot + 1) % SLOTS;
                }
                TAGS[slot] = tag;
                WORDS[slot] = word;
            }
        }
    }

    // Never modified, and compared with the bytes of every page: a list would be too slow.
    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[] bytes;

    private final Role role;
    private final boolean hasDigit;

    Tag() {
        this(Role.NONE);
    }

    Tag(Role role) {
        this.bytes = ascii(name());
        this.role = role;
        this.hasDigit = ByteScan.isDigit(bytes[bytes.length - 1]);
    }

    Tag(String text) {
        this.bytes = ascii(text);
        this.role = Role.NONE;
        this.hasDigit = false;
    }

    /** Returns the element whose name is {@code [start, end)}, ignoring case. */
    static Tag of(byte[] bytes, int start, int end) {
        if (end - start > Long.BYTES) {
            return ofLong(bytes, start, end);
        }
        var word = ByteScan.lowerCaseWord(bytes, start, end);
        for (var slot = slot(word); TAGS[slot] != OTHER; slot = (slot + 1) % SLOTS) {
            if (WORDS[slot] == word) {
                return TAGS[slot].matches(bytes, start, end) ? TAGS[slot] : OTHER;
            }
        }
        return OTHER;
    }

    /** Finds one of the few names longer than eight bytes. */
    private static Tag ofLong(byte[] bytes, int start, int end) {
        for (var tag : LONG) {
            if (ByteScan.equalsIgnoreCase(bytes, start, end, tag.bytes)) {
                return tag;
            }
        }
        return OTHER;
    }

    /**
     * The word alone decides for names of letters: no other byte is mapped to a lower-case letter.
     */
    private boolean matches(byte[] name, int start, int end) {
        return !hasDigit || ByteScan.equalsIgnoreCase(name, start, end, bytes);
    }

    /** Returns the name in lower case; the caller must not modify it. */
    byte[] bytes() {
        return bytes;
    }

    boolean startLeavesForeign() {
        return role == Role.BREAKOUT;
    }

    boolean endLeavesForeign() {
        return role != Role.NONE;
    }

    /** Returns whether the element may be in a head, so that its start tag does not end it. */
    boolean belongsInHead() {
        return switch (this) {
            case HTML,
                    HEAD,
                    META,
                    TITLE,
                    LINK,
                    BASE,
                    BASEFONT,
                    BGSOUND,
                    SCRIPT,
                    STYLE,
                    NOSCRIPT,
                    NOFRAMES,
                    TEMPLATE ->
                    true;
            default -> false;
        };
    }

    private static byte[] ascii(String name) {
        var bytes = name.getBytes(US_ASCII);
        for (var i = 0; i < bytes.length; i++) {
            bytes[i] = ByteScan.lower(bytes[i]);
        }
        return bytes;
    }

    private static int slot(long word) {
        return (int) ((word * MIX) >>> 54);
    }
}
