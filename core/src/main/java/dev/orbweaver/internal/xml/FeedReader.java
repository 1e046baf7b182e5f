package dev.orbweaver.internal.xml;

import java.io.IOException;
import java.util.Locale;

/**
 * Interprets the elements of a feed: RSS 0.9 to 2.0 and Atom (RFC 4287).
 *
 * <p>Elements of extensions, which have a prefix other than the root's, are skipped, except {@code
 * atom:link} and {@code dc:date} in RSS. The namespaces of prefixes are ignored, because many feeds
 * have wrong ones.
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

    /** Returns the title read so far; empty if there is none. */
    public String title() {
        return title;
    }

    public String language() {
        return language;
    }

    /**
     * Reads the feed from its root element on, which is the tokenizer's last token.
     *
     * @return whether it is a feed and complete
     */
    public boolean read() throws IOException {
        var root = tokenizer.name().toLowerCase(Locale.ROOT);
        var colon = root.indexOf(':');
        switch (root.substring(colon + 1)) {
            // RSS 1.0 has a prefix only on its root.
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

    /** Returns the name without the root's prefix; empty for an element of an extension. */
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
                // Other elements are used for their text, or not at all.
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
            // An update has precedence over the first publication, in any order.
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
                // No other text is needed.
            }
        }
    }

    private void identify(String id) {
        entryId = id.regionMatches(true, 0, "http", 0, 4) ? id : entryId;
    }

    private void date(boolean applies) {
        if (inEntry && applies) {
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
