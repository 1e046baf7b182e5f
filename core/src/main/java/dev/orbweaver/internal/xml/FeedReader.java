package dev.orbweaver.internal.xml;

import java.io.IOException;
import java.util.Locale;

/**
 * What the tags of a feed mean: RSS 0.9 to 2.0 and Atom (RFC 4287).
 *
 * <p>Elements of extensions, which have a prefix other than the root's, are skipped; only {@code
 * atom:link} and {@code dc:date} are known in RSS. The namespaces behind prefixes are not looked
 * at, since many feeds have them wrong.
 */
public final class FeedReader {

    private static final int LANGUAGE_CHARS_MAX = 35;

    private final XmlTokenizer tokenizer;
    private final FeedHandler handler;
    private String prefix = "";
    private boolean inEntry;
    private boolean updated;
    private boolean guidIsLink;
    private String entryId = "";
    private String title = "";
    private String language = "";

    public FeedReader(XmlTokenizer tokenizer, FeedHandler handler) {
        this.tokenizer = tokenizer;
        this.handler = handler;
    }

    /** As far as it was read; empty when it has none. */
    public String title() {
        return title;
    }

    public String language() {
        return language;
    }

    /**
     * Reads from the root element on, the tokenizer's last token.
     *
     * @return whether it is a feed and complete
     */
    public boolean read() throws IOException {
        var root = tokenizer.name().toLowerCase(Locale.ROOT);
        var colon = root.indexOf(':');
        switch (root.substring(colon + 1)) {
            // RSS 1.0 has a prefix on its root and on nothing else.
            case "rss", "rdf" -> prefix = "";
            case "feed" -> prefix = root.substring(0, colon + 1);
            default -> {
                return false;
            }
        }
        language = tokenizer.attribute("xml:lang");
        handler.base(tokenizer.attribute("xml:base"));
        var complete = readElements(root);
        endEntry();
        return complete;
    }

    private boolean readElements(String root) throws IOException {
        while (!handler.isFull()) {
            switch (tokenizer.next()) {
                case START -> {
                    tokenizer.clearText();
                    start(local());
                }
                case END -> {
                    if (tokenizer.name().equalsIgnoreCase(root)) {
                        return true;
                    }
                    end(local());
                    tokenizer.clearText();
                }
                case EOF -> {
                    return false;
                }
            }
        }
        return false;
    }

    /** The name without the root's prefix; empty for an element of an extension. */
    private String local() {
        var name = tokenizer.name().toLowerCase(Locale.ROOT);
        if (name.startsWith(prefix) && name.indexOf(':', prefix.length()) < 0) {
            return name.substring(prefix.length());
        }
        return switch (name) {
            case "atom:entry", "a:entry" -> "entry";
            case "atom:link", "atom10:link", "a10:link", "a:link" -> "link";
            case "dc:date" -> "date";
            default -> "";
        };
    }

    private void start(String element) {
        switch (element) {
            case "item", "entry" -> {
                endEntry();
                inEntry = true;
                identify(tokenizer.attribute("rdf:about"));
            }
            case "link" -> {
                var rel = tokenizer.attribute("rel").toLowerCase(Locale.ROOT);
                link(tokenizer.attribute("href"), rel.isEmpty() ? "alternate" : rel);
            }
            case "enclosure" -> link(tokenizer.attribute("url"), "enclosure");
            case "guid" ->
                    guidIsLink = !tokenizer.attribute("ispermalink").equalsIgnoreCase("false");
            default -> {
                // Other elements matter for their text, or not at all.
            }
        }
    }

    private void link(String target, String rel) {
        if (target.isEmpty()) {
            return;
        }
        if (inEntry && rel.equals("alternate")) {
            handler.entryLink(target);
        } else {
            handler.otherLink(target, rel);
        }
    }

    private void end(String element) {
        switch (element) {
            case "item", "entry" -> endEntry();
            case "link" -> link(tokenizer.text().strip(), inEntry ? "alternate" : "related");
            case "guid" -> identify(guidIsLink ? tokenizer.text().strip() : "");
            // An update counts more than the first publication, whichever comes first.
            case "pubdate", "date", "published" -> date(!updated);
            case "updated" -> {
                date(true);
                updated = true;
            }
            case "title" -> {
                if (!inEntry && title.isEmpty()) {
                    title = tokenizer.beginningOfText().strip();
                }
            }
            case "language" -> {
                var text = tokenizer.text().strip();
                language = text.length() <= LANGUAGE_CHARS_MAX ? text : language;
            }
            default -> {
                // No other text is wanted.
            }
        }
    }

    private void identify(String id) {
        entryId = id.regionMatches(true, 0, "http", 0, 4) ? id : entryId;
    }

    private void date(boolean counts) {
        if (inEntry && counts) {
            handler.date(tokenizer.text());
        }
    }

    private void endEntry() {
        if (inEntry) {
            handler.endEntry(entryId);
        }
        inEntry = false;
        updated = false;
        entryId = "";
    }
}
