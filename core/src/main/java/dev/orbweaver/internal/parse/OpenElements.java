package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.orbweaver.internal.parse.HtmlTokenizer.Content;

import java.util.Arrays;

/**
 * The part of the stack of open elements that affects tokenizing: SVG and MathML, HTML inside them,
 * and templates.
 *
 * <p>The standard's tree builder controls its tokenizer: text after {@code <script>} is read as
 * script, but not inside SVG, where CDATA sections exist. Without a tree this class records only
 * where SVG, MathML, their integration points (elements such as {@code foreignObject} that contain
 * HTML again, 13.2.6.5) and templates started; the innermost one decides.
 *
 * <p>HTML elements are only counted, and only inside integration points: while one is open there,
 * end tags of SVG and MathML are ignored. If end tags are omitted, the count stays too high and the
 * rest is parsed as HTML, which does the least harm. An end tag of an HTML element around an
 * unclosed SVG is assumed to close both.
 *
 * <p>The stack is bounded: deeper nesting is ignored.
 */
final class OpenElements {

    enum Namespace {
        HTML,
        SVG,
        MATHML
    }

    private static final int DEPTH_MAX = 256;
    private static final byte[] COLOR = {'c', 'o', 'l', 'o', 'r'};
    private static final byte[] FACE = {'f', 'a', 'c', 'e'};
    private static final byte[] SIZE = {'s', 'i', 'z', 'e'};
    private static final byte[] ENCODING = {'e', 'n', 'c', 'o', 'd', 'i', 'n', 'g'};

    private static final byte[] HTML_TYPE = "text/html".getBytes(US_ASCII);
    private static final byte[] XHTML_TYPE = "application/xhtml+xml".getBytes(US_ASCII);

    private final HtmlTokenizer tokenizer;
    private final boolean xml;
    private Tag[] openTags = new Tag[16];
    private Namespace[] contentNamespaces = new Namespace[16];
    private int[] openHtmlCounts = new int[16];
    private int depth;
    private int templates;
    private Namespace current = Namespace.HTML;

    /**
     * @param xml whether the document is XHTML: any element may be self-closing, and CDATA may be
     *     anywhere
     */
    OpenElements(HtmlTokenizer tokenizer, boolean xml) {
        this.tokenizer = tokenizer;
        this.xml = xml;
        tokenizer.allowCdata(xml);
    }

    /** Returns whether the current position is in a template, which is not part of the page. */
    boolean inTemplate() {
        return templates > 0;
    }

    /** Returns whether no element is open that an end tag could close. */
    boolean isEmpty() {
        return depth == 0;
    }

    /** Handles the current start tag of the tokenizer and returns the namespace of its element. */
    Namespace onStartTag(Tag tag) {
        if (current != Namespace.HTML && leavesForeign(tag)) {
            leaveForeign();
        }
        var namespace = namespaceOf(tag);
        if (tokenizer.isSelfClosing() && (xml || namespace != Namespace.HTML)) {
            return namespace;
        }
        switch (namespace) {
            case HTML -> {
                if (inIntegrationPoint() && isCounted(tag)) {
                    openHtmlCounts[depth - 1]++;
                }
                onHtmlStartTag(tag);
            }
            case SVG -> onSvgStartTag(tag);
            case MATHML -> onMathStartTag(tag);
        }
        return namespace;
    }

    void onEndTag(Tag tag) {
        if (depth == 0) {
            return;
        }
        if (tag != Tag.TEMPLATE && inIntegrationPoint() && openHtmlCounts[depth - 1] > 0) {
            if (isCounted(tag) && tag != openTags[depth - 1] && tag != Tag.SVG && tag != Tag.MATH) {
                openHtmlCounts[depth - 1]--;
            }
            return;
        }
        for (var at = depth - 1; at >= 0; at--) {
            if (openTags[at] == tag) {
                closeDownTo(at);
                return;
            }
            if (openTags[at] == Tag.TEMPLATE && tag != Tag.TEMPLATE) {
                break;
            }
        }
        if (current != Namespace.HTML && tag.endLeavesForeign()) {
            leaveForeign();
        }
    }

    private boolean inIntegrationPoint() {
        return depth > 0 && current == Namespace.HTML && openTags[depth - 1] != Tag.TEMPLATE;
    }

    /**
     * Returns whether both tags of an element are counted in an integration point. Void elements
     * have only one, parts of a table depend on the table, and a second html, head or body is
     * ignored.
     */
    private static boolean isCounted(Tag tag) {
        return switch (tag) {
            case AREA,
                    BASE,
                    BASEFONT,
                    BGSOUND,
                    BODY,
                    BR,
                    CAPTION,
                    COL,
                    COLGROUP,
                    EMBED,
                    FRAME,
                    FRAMESET,
                    HEAD,
                    HR,
                    HTML,
                    IMAGE,
                    IMG,
                    INPUT,
                    KEYGEN,
                    LINK,
                    META,
                    SOURCE,
                    TBODY,
                    TD,
                    TFOOT,
                    TH,
                    THEAD,
                    TR,
                    TRACK,
                    WBR ->
                    false;
            default -> true;
        };
    }

    private boolean leavesForeign(Tag tag) {
        return tag.startLeavesForeign()
                || (tag == Tag.FONT
                        && (tokenizer.attribute(COLOR) >= 0
                                || tokenizer.attribute(FACE) >= 0
                                || tokenizer.attribute(SIZE) >= 0));
    }

    private void leaveForeign() {
        var until = depth;
        while (until > 0 && contentNamespaces[until - 1] != Namespace.HTML) {
            until--;
        }
        closeDownTo(until);
    }

    /**
     * Returns the namespace of an element; {@code <svg>} and {@code <math>} start in HTML and in
     * MathML annotations.
     */
    private Namespace namespaceOf(Tag tag) {
        return switch (current) {
            case HTML ->
                    switch (tag) {
                        case SVG -> Namespace.SVG;
                        case MATH -> Namespace.MATHML;
                        case MGLYPH, MALIGNMARK -> inMathText() ? Namespace.MATHML : Namespace.HTML;
                        default -> Namespace.HTML;
                    };
            case SVG -> Namespace.SVG;
            case MATHML ->
                    tag == Tag.SVG && openTags[depth - 1] == Tag.ANNOTATION_XML
                            ? Namespace.SVG
                            : Namespace.MATHML;
        };
    }

    /** Two tags directly in MathML's token elements are still MathML (13.2.6, "text point"). */
    private boolean inMathText() {
        return inIntegrationPoint()
                && openHtmlCounts[depth - 1] == 0
                && switch (openTags[depth - 1]) {
                    case MI, MO, MN, MS, MTEXT -> true;
                    default -> false;
                };
    }

    private void onHtmlStartTag(Tag tag) {
        switch (tag) {
            case TEMPLATE -> push(tag, Namespace.HTML);
            case TITLE, TEXTAREA -> tokenizer.readContentAs(Content.RCDATA, tag.bytes());
            case STYLE, XMP, IFRAME, NOEMBED, NOFRAMES ->
                    tokenizer.readContentAs(Content.RAW_TEXT, tag.bytes());
            case SCRIPT -> tokenizer.readContentAs(Content.SCRIPT, tag.bytes());
            case PLAINTEXT -> tokenizer.readContentAs(Content.PLAINTEXT, tag.bytes());
            default -> {
                // The other HTML elements contain tags and text.
            }
        }
    }

    private void onSvgStartTag(Tag tag) {
        switch (tag) {
            case SVG -> push(tag, Namespace.SVG);
            case FOREIGN_OBJECT, DESC, TITLE -> push(tag, Namespace.HTML);
            default -> {
                // The other SVG elements contain SVG.
            }
        }
    }

    private void onMathStartTag(Tag tag) {
        switch (tag) {
            case MATH, MGLYPH, MALIGNMARK -> push(tag, Namespace.MATHML);
            case MI, MO, MN, MS, MTEXT -> push(tag, Namespace.HTML);
            case ANNOTATION_XML ->
                    push(tag, isHtmlAnnotation() ? Namespace.HTML : Namespace.MATHML);
            default -> {
                // The other MathML elements contain MathML.
            }
        }
    }

    private boolean isHtmlAnnotation() {
        var encoding = tokenizer.attribute(ENCODING);
        return encoding >= 0
                && (tokenizer.valueEqualsIgnoreCase(encoding, HTML_TYPE)
                        || tokenizer.valueEqualsIgnoreCase(encoding, XHTML_TYPE));
    }

    private void push(Tag tag, Namespace holds) {
        if (depth == DEPTH_MAX) {
            return;
        }
        if (depth == openTags.length) {
            openTags = Arrays.copyOf(openTags, depth * 2);
            contentNamespaces = Arrays.copyOf(contentNamespaces, depth * 2);
            openHtmlCounts = Arrays.copyOf(openHtmlCounts, depth * 2);
        }
        openTags[depth] = tag;
        contentNamespaces[depth] = holds;
        openHtmlCounts[depth] = 0;
        depth++;
        if (tag == Tag.TEMPLATE) {
            templates++;
        }
        enter(holds);
    }

    private void closeDownTo(int until) {
        while (depth > until) {
            depth--;
            if (openTags[depth] == Tag.TEMPLATE) {
                templates--;
            }
        }
        enter(depth == 0 ? Namespace.HTML : contentNamespaces[depth - 1]);
    }

    private void enter(Namespace namespace) {
        current = namespace;
        tokenizer.allowCdata(xml || namespace != Namespace.HTML || inForeignText());
    }

    /**
     * Title and description of SVG count as SVG for a CDATA section until an HTML element is opened
     * in them (13.2.5.42), which is rare.
     */
    private boolean inForeignText() {
        return depth > 0 && (openTags[depth - 1] == Tag.TITLE || openTags[depth - 1] == Tag.DESC);
    }
}
