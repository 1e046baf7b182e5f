package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Detects whether a page is a frameset. The tree builder then drops everything except frames and
 * {@code <noframes>} (HTML standard, 13.2.6.4.20 to 13.2.6.4.22), links included.
 *
 * <p>A {@code <frameset>} is valid only until the page has a visible body: the "frameset-ok" flag
 * of 13.2.4.5, which text and certain tags clear. On nearly every page that happens within a few
 * tags, and this class is not called after that.
 */
final class FramesetDetector {

    private static final int NO_BODY = -1;
    private static final byte[] TYPE = "type".getBytes(US_ASCII);
    private static final byte[] HIDDEN = "hidden".getBytes(US_ASCII);

    private final HtmlTokenizer tokenizer;
    private final byte[] bytes;
    private boolean framesetOk = true;
    private boolean found;
    private int linksBeforeBody = NO_BODY;
    private int openFramesets;

    FramesetDetector(HtmlTokenizer tokenizer, byte[] bytes) {
        this.tokenizer = tokenizer;
        this.bytes = bytes;
    }

    /** Returns whether the page is not a frameset and cannot become one. */
    boolean isRuledOut() {
        return !framesetOk && !found;
    }

    /** Returns whether a frameset was opened, closed or not. */
    boolean isFound() {
        return found;
    }

    /** Returns whether a frame that starts here is valid. */
    boolean isOpen() {
        return openFramesets > 0;
    }

    /** Handles text; anything except white space belongs to a body. */
    void onText(int start, int end) {
        for (var at = start; framesetOk && at < end; at++) {
            framesetOk = ByteScan.isSpace(bytes[at]) || bytes[at] == 0;
        }
    }

    /**
     * Handles a start tag while framesets are possible. A frameset replaces an empty body with its
     * links.
     */
    void onStartTag(Tag tag, boolean isHtml, UnresolvedLinks links) {
        if (isHtml && tag == Tag.FRAMESET) {
            framesetOk = false;
            found = true;
            openFramesets = 1;
            if (linksBeforeBody != NO_BODY) {
                links.truncate(linksBeforeBody);
            }
        } else if (isHtml && clearsFramesetOk(tag)) {
            framesetOk = false;
        } else if (linksBeforeBody == NO_BODY && !(isHtml && tag.belongsInHead())) {
            linksBeforeBody = links.size();
        }
    }

    void onEndTag(Tag tag) {
        // "</br>" is parsed as "<br>" (13.2.6.4.7).
        framesetOk &= tag != Tag.BR;
    }

    void onStartTagInFrameset(Tag tag) {
        if (tag == Tag.FRAMESET && openFramesets > 0) {
            openFramesets++;
        } else if (tag == Tag.NOFRAMES) {
            tokenizer.readContentAs(HtmlTokenizer.Content.RAW_TEXT, tag.bytes());
        }
    }

    void onEndTagInFrameset(Tag tag) {
        if (tag == Tag.FRAMESET && openFramesets > 0) {
            openFramesets--;
        }
    }

    private boolean clearsFramesetOk(Tag tag) {
        return switch (tag) {
            case APPLET,
                    AREA,
                    BODY,
                    BR,
                    BUTTON,
                    DD,
                    DT,
                    EMBED,
                    HR,
                    IFRAME,
                    IMAGE,
                    IMG,
                    KEYGEN,
                    LI,
                    LISTING,
                    MARQUEE,
                    OBJECT,
                    PRE,
                    SELECT,
                    TABLE,
                    TEMPLATE,
                    TEXTAREA,
                    WBR,
                    XMP ->
                    true;
            case INPUT -> {
                var type = tokenizer.attribute(TYPE);
                yield type < 0 || !tokenizer.valueEqualsIgnoreCase(type, HIDDEN);
            }
            default -> false;
        };
    }
}
