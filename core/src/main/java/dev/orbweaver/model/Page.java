package dev.orbweaver.model;

import java.util.List;

/**
 * What a document says, as far as a crawl needs it.
 *
 * @param title of the first title element, white space collapsed, empty when there is none
 * @param charset the WHATWG name of the encoding
 * @param links each distinct URL and kind once, in document order
 * @param language as declared, empty when it is not
 * @param simHash 64 bits that differ in few places where texts differ in few words; 0 when not
 *     asked for
 * @param directives its owner's restrictions, as words between spaces; of a page as it comes from
 *     its parser, the content of its robots metas
 * @param truncated which limit of the parser dropped links; empty when none did
 */
public record Page(
        String title,
        String charset,
        List<Link> links,
        boolean nofollow,
        boolean noindex,
        String language,
        long simHash,
        String directives,
        String truncated) {

    /** The cause that a capture of a truncated page carries in the page log. */
    public static final String TRUNCATED = "truncated";

    /** A document without links, such as an image. */
    public static final Page EMPTY = new Page("", "", List.of(), false, false);

    public Page(String title, String charset, List<Link> links, boolean nofollow, boolean noindex) {
        this(title, charset, links, nofollow, noindex, "", 0, "", "");
    }

    public Page withDirectives(boolean toNotFollow, boolean toNotIndex, String words) {
        return new Page(
                title,
                charset,
                links,
                toNotFollow,
                toNotIndex,
                language,
                simHash,
                words,
                truncated);
    }

    /** This page, marked with the limit that dropped links. */
    public Page withTruncation(String limit) {
        return new Page(
                title, charset, links, nofollow, noindex, language, simHash, directives, limit);
    }

    public Page {
        links = List.copyOf(links);
    }
}
