package dev.orbweaver.parse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.model.LinkKind;
import dev.orbweaver.parse.Candidates.Form;
import dev.orbweaver.parse.CharacterReferences.Place;
import dev.orbweaver.parse.HtmlTokenizer.Content;
import dev.orbweaver.parse.HtmlTokenizer.Token;

import org.jspecify.annotations.Nullable;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a page once, from its tags alone, and notes where its links, base, title and robots
 * directives stand.
 *
 * <p>Without a tree three things differ from a browser, all in broken or exotic markup: an element
 * that the tree builder would drop or move out of the page still counts; SVG and MathML end where
 * {@link OpenElements} believes they do; text that a script would write is not there. Links in a
 * template are no links of the page.
 */
final class LinkScanner {

    private static final int TITLE_CHARS_MAX = 1_000;
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

    private static final Set<LinkKind> STYLESHEET_KINDS = Set.copyOf(Relations.kinds("stylesheet"));

    private final byte[] bytes;
    private final PageText text;
    private final HtmlTokenizer tokenizer;
    private final OpenElements elements;
    private final Framesets framesets;
    private final Candidates candidates;
    private Optional<String> base = Optional.empty();
    private Optional<String> title = Optional.empty();
    private boolean bodyShown;
    private boolean titleFollows;
    private boolean inForm;
    private boolean nofollow;
    private boolean noindex;
    private final String productToken;
    private final StringBuilder directives = new StringBuilder();
    private String language = "";
    private final @Nullable SimHash simHash;

    /** What the page's own styles ask for, where that is wanted. */
    private @Nullable List<String> styleReferences;

    private boolean styleFollows;

    /**
     * @param queryCharset what the queries of its links are escaped in
     * @param xml the page is XHTML
     * @param simHash what the page's text is to be given to, if it is wanted
     * @param productToken the name by which a meta may speak to this crawler alone
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
        this.candidates = new Candidates(bytes);
        this.tokenizer = new HtmlTokenizer(bytes, markup.from(), markup.end());
        this.elements = new OpenElements(tokenizer, xml);
        this.framesets = new Framesets(tokenizer, bytes);
    }

    /** The values of the first base element that has a href. */
    Optional<String> base() {
        return base;
    }

    /** The page's text, for decoding what was found. */
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

    /** The content of all its robots metas. */
    String directives() {
        return directives.toString();
    }

    /** The language of the page as its html element says it. */
    String language() {
        return language;
    }

    /** Reads the page to its end and answers what may be links. */
    Candidates scan() {
        Token token;
        do {
            token = tokenizer.next();
            if (simHash != null && tokenizer.textContent() == Content.DATA) {
                simHash.add(bytes, tokenizer.textStart(), tokenizer.textEnd());
            }
            if (styleFollows) {
                styleFollows = false;
                addStyle(new String(bytes, textStart(), textLength(), text.charset()));
            }
            if (titleFollows) {
                titleFollows = false;
                title = Optional.of(titleText());
            }
            if (!bodyShown && tokenizer.textContent() == Content.DATA) {
                framesets.text(tokenizer.textStart(), tokenizer.textEnd());
                bodyShown = framesets.areOut();
            }
            if (token == Token.START_TAG) {
                started(Tag.of(bytes, tokenizer.start(), tokenizer.stop()));
            } else if (token == Token.END_TAG && endTagsMatter()) {
                ended(Tag.of(bytes, tokenizer.start(), tokenizer.stop()));
            }
        } while (token != Token.END);
        return candidates;
    }

    /** From now on what style elements and attributes ask for is noted too. */
    @CanIgnoreReturnValue
    LinkScanner withStyles() {
        styleReferences = new ArrayList<>();
        return this;
    }

    /** What the page's own styles ask for, as it stands there. */
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

    private boolean endTagsMatter() {
        return inForm || !bodyShown || !elements.isEmpty();
    }

    private void started(Tag tag) {
        if (!bodyShown && framesets.entered()) {
            framesets.startedWithin(tag);
            if (tag == Tag.FRAME && framesets.isOpen()) {
                add(SRC, LinkKind.FRAME, Form.URL);
            }
            return;
        }
        var namespace = elements.started(tag);
        if (!bodyShown) {
            framesets.started(tag, namespace == OpenElements.Namespace.HTML, candidates);
            bodyShown = framesets.areOut();
        }
        if (styleReferences != null && !elements.inTemplate()) {
            styleFollows = tag == Tag.STYLE;
            value(STYLE).ifPresent(this::addStyle);
        }
        if (tag == Tag.OTHER || elements.inTemplate()) {
            return;
        }
        switch (namespace) {
            case HTML -> html(tag);
            case SVG -> svg(tag);
            case MATHML -> {
                // MathML has no links of its own that browsers follow.
            }
        }
    }

    private void ended(Tag tag) {
        if (!bodyShown) {
            if (framesets.entered()) {
                framesets.endedWithin(tag);
                return;
            }
            framesets.ended(tag);
            bodyShown = framesets.areOut();
        }
        elements.ended(tag);
        if (tag == Tag.FORM && !elements.inTemplate()) {
            inForm = false;
        }
    }

    private void html(Tag tag) {
        switch (tag) {
            case A, AREA -> anchor(HREF);
            case LINK -> link();
            case IMG, IMAGE, SOURCE -> {
                requisite(SRC);
                add(SRCSET, LinkKind.REQUISITE, Form.SRCSET);
            }
            case SCRIPT, AUDIO, TRACK, EMBED -> requisite(SRC);
            case VIDEO -> {
                requisite(SRC);
                requisite(POSTER);
            }
            case OBJECT -> requisite(DATA);
            case INPUT -> input();
            case IFRAME -> add(SRC, LinkKind.FRAME, Form.URL);
            case FORM -> form();
            case META -> meta();
            case HTML -> language = value(LANG).map(LinkScanner::languageTag).orElse(language);
            case BASE -> base = base.or(() -> value(HREF));
            case TITLE -> titleFollows = title.isEmpty();
            default -> {
                // No other element of HTML holds a link or a fact that is wanted.
            }
        }
    }

    private void svg(Tag tag) {
        switch (tag) {
            case A -> anchor(tokenizer.attribute(HREF) >= 0 ? HREF : XLINK_HREF);
            case IMAGE, SCRIPT -> requisite(tokenizer.attribute(HREF) >= 0 ? HREF : XLINK_HREF);
            default -> {
                // SVG's other references are mostly to parts of the page itself.
            }
        }
    }

    private void anchor(byte[] attribute) {
        var index = tokenizer.attribute(attribute);
        if (index >= 0) {
            var rel = tokenizer.attribute(REL);
            candidates.add(
                    tokenizer.valueStart(index),
                    tokenizer.valueEnd(index),
                    LinkKind.ANCHOR,
                    Form.URL,
                    rel >= 0 && Relations.isNofollow(value(rel)));
        }
    }

    private void link() {
        var rel = tokenizer.attribute(REL);
        if (rel < 0) {
            return;
        }
        // Nearly all are style sheets: a word that need not be decoded to be known.
        var kinds =
                tokenizer.valueSpells(rel, STYLESHEET)
                        ? STYLESHEET_KINDS
                        : Relations.kinds(value(rel));
        for (var kind : kinds) {
            add(HREF, kind, Form.URL);
            if (kind == LinkKind.REQUISITE) {
                add(IMAGESRCSET, kind, Form.SRCSET);
            }
        }
    }

    private void input() {
        var type = tokenizer.attribute(TYPE);
        if (type >= 0 && value(type).equalsIgnoreCase("image")) {
            requisite(SRC);
        }
    }

    /** A form in a form is dropped (13.2.6.4.7); any method but post and dialog is get. */
    private void form() {
        if (inForm) {
            return;
        }
        inForm = true;
        var method = value(METHOD).orElse("get").toLowerCase(Locale.ROOT);
        if (!method.equals("post") && !method.equals("dialog")) {
            add(ACTION, LinkKind.FORM, Form.URL);
        }
    }

    private void meta() {
        var pragma = tokenizer.attribute(HTTP_EQUIV);
        if (pragma >= 0 && value(pragma).equalsIgnoreCase("refresh")) {
            add(CONTENT, LinkKind.REFRESH, Form.REFRESH);
        }
        var name = tokenizer.attribute(NAME);
        if (name >= 0 && isForRobots(value(name))) {
            directives(value(CONTENT).orElse(""));
        }
    }

    /** What can be a language tag (RFC 5646, 4.4.1: 35 characters suffice); else nothing. */
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
        for (var word : Words.of(content.toLowerCase(Locale.ROOT).replace(',', ' '))) {
            nofollow |= word.equals("nofollow") || word.equals("none");
            noindex |= word.equals("noindex") || word.equals("none");
        }
    }

    private void requisite(byte[] attribute) {
        add(attribute, LinkKind.REQUISITE, Form.URL);
    }

    /** Notes an attribute that may not be empty: an empty one asks for nothing (4.8.4.3). */
    private void add(byte[] attribute, LinkKind kind, Form form) {
        var index = tokenizer.attribute(attribute);
        if (index >= 0 && !isBlank(index)) {
            candidates.add(
                    tokenizer.valueStart(index), tokenizer.valueEnd(index), kind, form, false);
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
        return Words.cut(
                String.join(" ", Words.of(text.text(start, end, Place.RCDATA))), TITLE_CHARS_MAX);
    }

    private static byte[] name(String text) {
        return text.getBytes(US_ASCII);
    }
}
