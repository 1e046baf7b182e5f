package dev.orbweaver.internal.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.internal.parse.CharacterReferences.TextContext;
import dev.orbweaver.internal.parse.HtmlTokenizer.Content;
import dev.orbweaver.internal.parse.HtmlTokenizer.Token;
import dev.orbweaver.internal.parse.UnresolvedLinks.ValueSyntax;
import dev.orbweaver.model.LinkKind;

import org.jspecify.annotations.Nullable;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Scans the tags of a page once and records the positions of its links, base, title and robots
 * directives.
 *
 * <p>Without a tree three things differ from a browser, all in broken or unusual markup: an element
 * that the tree builder would drop or move out of the page is still used; SVG and MathML end where
 * {@link OpenElements} assumes; text that a script would write is missing. Links in a template are
 * not links of the page.
 */
final class LinkScanner {

    static final int TITLE_CHARS_MAX = 1_000;
    private static final int TITLE_BYTES_MAX = 16_384;
    private static final int DIRECTIVES_CHARS_MAX = 1000;
    private static final int LANGUAGE_CHARS_MAX = 35;

    private static final byte[] ACTION = name("action");
    private static final byte[] CONTENT = name("content");
    private static final byte[] DATA = name("data");
    private static final byte[] HREF = name("href");
    private static final byte[] HTTP_EQUIV = name("http-equiv");
    private static final byte[] IMAGESRCSET = name("imagesrcset");
    private static final byte[] LANG = name("lang");
    private static final byte[] METHOD = name("method");
    private static final byte[] NAME = name("name");
    private static final byte[] POSTER = name("poster");
    private static final byte[] REL = name("rel");
    private static final byte[] SRC = name("src");
    private static final byte[] SRCSET = name("srcset");
    private static final byte[] STYLE = name("style");
    private static final byte[] STYLESHEET = name("stylesheet");
    private static final byte[] TYPE = name("type");
    private static final byte[] XLINK_HREF = name("xlink:href");

    private static final Set<LinkKind> STYLESHEET_KINDS =
            Set.copyOf(LinkRelations.kinds("stylesheet"));

    private final byte[] bytes;
    private final PageText text;
    private final HtmlTokenizer tokenizer;
    private final OpenElements elements;
    private final FramesetDetector framesetDetector;
    private final UnresolvedLinks unresolvedLinks;
    private Optional<String> base = Optional.empty();
    private Optional<String> title = Optional.empty();
    private boolean framesetsRuledOut;
    private boolean expectsTitle;
    private boolean inForm;
    private boolean nofollow;
    private boolean noindex;
    private final String productToken;
    private final StringBuilder directives = new StringBuilder();
    private String language = "";
    private final @Nullable SimHash simHash;

    private @Nullable List<String> styleReferences;

    private boolean expectsStyle;

    /**
     * Creates a scanner for one page.
     *
     * @param queryCharset the charset in which the queries of its links are escaped
     * @param xml whether the page is XHTML
     * @param simHash receives the page's text
     * @param productToken the name by which a meta element may address this crawler
     */
    LinkScanner(
            MarkupBytes markup,
            Charset queryCharset,
            boolean xml,
            @Nullable SimHash simHash,
            String productToken) {
        this.productToken = productToken;
        this.simHash = simHash;
        this.bytes = markup.bytes();
        this.text = new PageText(bytes, markup.charset(), queryCharset);
        this.unresolvedLinks = new UnresolvedLinks(bytes);
        this.tokenizer = new HtmlTokenizer(bytes, markup.from(), markup.end());
        this.elements = new OpenElements(tokenizer, xml);
        this.framesetDetector = new FramesetDetector(tokenizer, bytes);
    }

    Optional<String> base() {
        return base;
    }

    PageText text() {
        return text;
    }

    String title() {
        return title.orElse("");
    }

    boolean nofollow() {
        return nofollow;
    }

    boolean noindex() {
        return noindex;
    }

    String directives() {
        return directives.toString();
    }

    String language() {
        return language;
    }

    /** Scans the page to its end. */
    UnresolvedLinks scan() {
        Token token;
        do {
            token = tokenizer.next();
            if (simHash != null && tokenizer.textContent() == Content.DATA) {
                simHash.add(bytes, tokenizer.textStart(), tokenizer.textEnd());
            }
            if (expectsStyle) {
                expectsStyle = false;
                addStyle(new String(bytes, textStart(), textLength(), text.charset()));
            }
            if (expectsTitle) {
                expectsTitle = false;
                title = Optional.of(titleText());
            }
            if (!framesetsRuledOut && tokenizer.textContent() == Content.DATA) {
                framesetDetector.onText(tokenizer.textStart(), tokenizer.textEnd());
                framesetsRuledOut = framesetDetector.isRuledOut();
            }
            if (token == Token.START_TAG) {
                onStartTag(Tag.of(bytes, tokenizer.start(), tokenizer.stop()));
            } else if (token == Token.END_TAG && needsEndTags()) {
                onEndTag(Tag.of(bytes, tokenizer.start(), tokenizer.stop()));
            }
        } while (token != Token.END);
        return unresolvedLinks;
    }

    /** Also collects the references of style elements and attributes. */
    @CanIgnoreReturnValue
    LinkScanner withStyles() {
        styleReferences = new ArrayList<>();
        return this;
    }

    List<String> styleReferences() {
        return styleReferences == null ? List.of() : styleReferences;
    }

    private void addStyle(String css) {
        if (styleReferences != null && styleReferences.size() < LinkSet.LINKS_MAX) {
            styleReferences.addAll(CssScanner.references(css));
        }
    }

    private int textStart() {
        return tokenizer.textStart();
    }

    private int textLength() {
        return tokenizer.textEnd() - tokenizer.textStart();
    }

    private boolean needsEndTags() {
        return inForm || !framesetsRuledOut || !elements.isEmpty();
    }

    private void onStartTag(Tag tag) {
        if (!framesetsRuledOut && framesetDetector.isFound()) {
            framesetDetector.onStartTagInFrameset(tag);
            if (tag == Tag.FRAME && framesetDetector.isOpen()) {
                add(SRC, LinkKind.FRAME, ValueSyntax.URL);
            }
            return;
        }
        var namespace = elements.onStartTag(tag);
        if (!framesetsRuledOut) {
            framesetDetector.onStartTag(
                    tag, namespace == OpenElements.Namespace.HTML, unresolvedLinks);
            framesetsRuledOut = framesetDetector.isRuledOut();
        }
        if (styleReferences != null && !elements.inTemplate()) {
            expectsStyle = tag == Tag.STYLE;
            value(STYLE).ifPresent(this::addStyle);
        }
        if (tag == Tag.OTHER || elements.inTemplate()) {
            return;
        }
        switch (namespace) {
            case HTML -> scanHtml(tag);
            case SVG -> scanSvg(tag);
            case MATHML -> {
                // MathML has no links of its own that browsers follow.
            }
        }
    }

    private void onEndTag(Tag tag) {
        if (!framesetsRuledOut) {
            if (framesetDetector.isFound()) {
                framesetDetector.onEndTagInFrameset(tag);
                return;
            }
            framesetDetector.onEndTag(tag);
            framesetsRuledOut = framesetDetector.isRuledOut();
        }
        elements.onEndTag(tag);
        if (tag == Tag.FORM && !elements.inTemplate()) {
            inForm = false;
        }
    }

    private void scanHtml(Tag tag) {
        switch (tag) {
            case A, AREA -> addAnchor(HREF);
            case LINK -> addLinkElement();
            case IMG, IMAGE, SOURCE -> {
                addRequisite(SRC);
                add(SRCSET, LinkKind.REQUISITE, ValueSyntax.SRCSET);
            }
            case SCRIPT, AUDIO, TRACK, EMBED -> addRequisite(SRC);
            case VIDEO -> {
                addRequisite(SRC);
                addRequisite(POSTER);
            }
            case OBJECT -> addRequisite(DATA);
            case INPUT -> addInput();
            case IFRAME -> add(SRC, LinkKind.FRAME, ValueSyntax.URL);
            case FORM -> addForm();
            case META -> readMeta();
            case HTML -> language = value(LANG).map(LinkScanner::languageTag).orElse(language);
            case BASE -> base = base.or(() -> value(HREF));
            case TITLE -> expectsTitle = title.isEmpty();
            default -> {
                // No other HTML element has a link or other needed data.
            }
        }
    }

    private void scanSvg(Tag tag) {
        switch (tag) {
            case A -> addAnchor(tokenizer.attribute(HREF) >= 0 ? HREF : XLINK_HREF);
            case IMAGE, SCRIPT -> addRequisite(tokenizer.attribute(HREF) >= 0 ? HREF : XLINK_HREF);
            default -> {
                // The other references of SVG are mostly to parts of the page itself.
            }
        }
    }

    private void addAnchor(byte[] attribute) {
        var index = tokenizer.attribute(attribute);
        if (index >= 0) {
            var rel = tokenizer.attribute(REL);
            unresolvedLinks.add(
                    tokenizer.valueStart(index),
                    tokenizer.valueEnd(index),
                    LinkKind.ANCHOR,
                    ValueSyntax.URL,
                    rel >= 0 && LinkRelations.isNofollow(value(rel)));
        }
    }

    private void addLinkElement() {
        var rel = tokenizer.attribute(REL);
        if (rel < 0) {
            return;
        }
        // Nearly all are style sheets, a word that can be compared without decoding it.
        var kinds =
                tokenizer.valueEqualsIgnoreCase(rel, STYLESHEET)
                        ? STYLESHEET_KINDS
                        : LinkRelations.kinds(value(rel));
        for (var kind : kinds) {
            add(HREF, kind, ValueSyntax.URL);
            if (kind == LinkKind.REQUISITE) {
                add(IMAGESRCSET, kind, ValueSyntax.SRCSET);
            }
        }
    }

    private void addInput() {
        var type = tokenizer.attribute(TYPE);
        if (type >= 0 && value(type).equalsIgnoreCase("image")) {
            addRequisite(SRC);
        }
    }

    /**
     * Adds a form's action. A nested form is dropped (13.2.6.4.7); any method except post and
     * dialog is get.
     */
    private void addForm() {
        if (inForm) {
            return;
        }
        inForm = true;
        var method = value(METHOD).orElse("get").toLowerCase(Locale.ROOT);
        if (!method.equals("post") && !method.equals("dialog")) {
            add(ACTION, LinkKind.FORM, ValueSyntax.URL);
        }
    }

    private void readMeta() {
        var pragma = tokenizer.attribute(HTTP_EQUIV);
        if (pragma >= 0 && value(pragma).equalsIgnoreCase("refresh")) {
            add(CONTENT, LinkKind.REFRESH, ValueSyntax.REFRESH);
        }
        var name = tokenizer.attribute(NAME);
        if (name >= 0 && isForRobots(value(name))) {
            directives(value(CONTENT).orElse(""));
        }
    }

    /**
     * Returns a value that can be a language tag (RFC 5646, 4.4.1: 35 characters suffice),
     * otherwise empty.
     */
    private static String languageTag(String value) {
        var tag = value.strip();
        for (var i = 0; i < tag.length(); i++) {
            var c = tag.charAt(i);
            if (!ByteScan.isLetter(c) && !ByteScan.isDigit(c) && c != '-') {
                return "";
            }
        }
        return tag.length() <= LANGUAGE_CHARS_MAX ? tag : "";
    }

    private boolean isForRobots(String name) {
        return name.equalsIgnoreCase("robots") || name.equalsIgnoreCase(productToken);
    }

    private void directives(String content) {
        if (directives.length() + content.length() < DIRECTIVES_CHARS_MAX) {
            directives.append(directives.isEmpty() ? "" : ",").append(content);
        }
        for (var word : Words.split(content.toLowerCase(Locale.ROOT).replace(',', ' '))) {
            nofollow |= word.equals("nofollow") || word.equals("none");
            noindex |= word.equals("noindex") || word.equals("none");
        }
    }

    private void addRequisite(byte[] attribute) {
        add(attribute, LinkKind.REQUISITE, ValueSyntax.URL);
    }

    /** Adds an attribute unless it is empty, because an empty one refers to nothing (4.8.4.3). */
    private void add(byte[] attribute, LinkKind kind, ValueSyntax valueSyntax) {
        var index = tokenizer.attribute(attribute);
        if (index >= 0 && !isBlank(index)) {
            unresolvedLinks.add(
                    tokenizer.valueStart(index),
                    tokenizer.valueEnd(index),
                    kind,
                    valueSyntax,
                    false);
        }
    }

    private boolean isBlank(int attribute) {
        for (var at = tokenizer.valueStart(attribute); at < tokenizer.valueEnd(attribute); at++) {
            if (!ByteScan.isSpace(bytes[at])) {
                return false;
            }
        }
        return true;
    }

    private Optional<String> value(byte[] attribute) {
        var index = tokenizer.attribute(attribute);
        return index < 0 ? Optional.empty() : Optional.of(value(index));
    }

    private String value(int attribute) {
        return text.attribute(tokenizer.valueStart(attribute), tokenizer.valueEnd(attribute));
    }

    private String titleText() {
        var start = tokenizer.textStart();
        var end = Math.min(tokenizer.textEnd(), start + TITLE_BYTES_MAX);
        return Words.truncate(
                String.join(" ", Words.split(text.text(start, end, TextContext.RCDATA))),
                TITLE_CHARS_MAX);
    }

    private static byte[] name(String text) {
        return text.getBytes(US_ASCII);
    }
}
