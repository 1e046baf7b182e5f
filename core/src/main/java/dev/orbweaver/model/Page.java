package dev.orbweaver.model;

import java.util.List;

/**
 * The result of a {@link dev.orbweaver.spi.Parser}: title, charset and links of a document.
 *
 * <p>A parser uses the constructor with five parameters: {@code new Page("title", "utf-8", links,
 * false, false)}. The crawl sets the other components later. Immutable.
 *
 * @param title the text of the first title element, white space collapsed, empty when there is none
 * @param charset the WHATWG name of the encoding, such as {@code utf-8}; empty when unknown
 * @param links the links in document order, each distinct URL and kind once
 * @param nofollow whether the page forbids to follow its links
 * @param noindex whether the page forbids to index it; it is stored nevertheless
 * @param language the declared language, empty when there is none
 * @param simHash a similarity hash of the text: similar texts differ in few of its 64 bits; 0 when
 *     it was not computed
 * @param minHash a sketch of the text from which the share of common word pairs of two texts can be
 *     estimated; empty when it was not computed or there is no text
 * @param directives the restrictions of the site owner, separated by spaces; directly after
 *     parsing, the content of the robots meta elements
 * @param truncated the limit of the parser that dropped links, or why a parser of a program failed;
 *     empty otherwise
 * @param fields the fields of extractors as a JSON object, empty when there are none
 * @param fieldsProblem why an extractor failed, empty when none did
 */
public record Page(
        String title,
        String charset,
        List<Link> links,
        boolean nofollow,
        boolean noindex,
        String language,
        long simHash,
        String minHash,
        String directives,
        String truncated,
        String fields,
        String fieldsProblem) {

    /** The cause in the page log of a page that lost links to a limit of the parser. */
    public static final String TRUNCATED = "truncated";

    /** The cause in the page log of a page whose parser, passed by a program, failed. */
    public static final String PARSER_FAILED = "parser-failed";

    /** The cause in the page log of a page whose extractor failed. */
    public static final String EXTRACTOR_FAILED = "extractor-failed";

    private static final String PARSER_PROBLEM = "parser failed: ";

    /** A document without links, such as an image. */
    public static final Page EMPTY = new Page("", "", List.of(), false, false);

    /** Creates a page with what a parser finds. */
    public Page(String title, String charset, List<Link> links, boolean nofollow, boolean noindex) {
        this(title, charset, links, nofollow, noindex, "", 0, "", "", "", "", "");
    }

    /** Returns this page with the restrictions of the site owner. */
    public Page withDirectives(boolean toNotFollow, boolean toNotIndex, String words) {
        return new Page(
                title,
                charset,
                links,
                toNotFollow,
                toNotIndex,
                language,
                simHash,
                minHash,
                words,
                truncated,
                fields,
                fieldsProblem);
    }

    /** Returns this page, marked with the limit that dropped links. */
    public Page withTruncation(String limit) {
        return new Page(
                title,
                charset,
                links,
                nofollow,
                noindex,
                language,
                simHash,
                minHash,
                directives,
                limit,
                fields,
                fieldsProblem);
    }

    /** Returns this page, marked with the reason why a parser of a program failed. */
    public Page withParserProblem(String problem) {
        return withTruncation(PARSER_PROBLEM + problem);
    }

    /** Returns whether a parser of a program failed; {@code truncated} has the reason. */
    public boolean isParserFailed() {
        return truncated.startsWith(PARSER_PROBLEM);
    }

    /** Returns this page with the results of its extractors. */
    public Page withExtraction(List<Link> extractedLinks, String json, String problem) {
        return new Page(
                title,
                charset,
                extractedLinks,
                nofollow,
                noindex,
                language,
                simHash,
                minHash,
                directives,
                truncated,
                json,
                problem);
    }

    public Page {
        links = List.copyOf(links);
    }
}
