package dev.orbweaver.spi;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import dev.orbweaver.model.Link;

import org.jsoup.nodes.Document;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A page that is being extracted, and what was extracted so far.
 *
 * <pre>{@code
 * page.put("title", page.document().select("h1").text());
 * page.put("authors", page.document().select(".author").eachText());
 * page.removeLinks(link -> link.kind() == LinkKind.FORM);
 * }</pre>
 *
 * <p>Valid only during the call of the {@link Extractor}, and only for the calling thread.
 */
public interface Extraction {

    /** The maximum number of fields of a page. */
    int FIELDS_MAX = 100;

    /** The maximum size of all fields of a page together, as JSON. */
    int FIELD_BYTES_MAX = 64 << 10;

    /** The maximum number of links that extractors may add to a page. */
    int ADDED_LINKS_MAX = 1_000;

    /** The maximum number of characters of all links together that extractors may add to a page. */
    int ADDED_LINK_CHARS_MAX = 1 << 20;

    /** Returns the URL of the page. */
    String url();

    /** Returns the HTTP status code. */
    int status();

    /** Returns the media type in lower case without parameters, empty when unknown. */
    String mediaType();

    /** Returns the first value of a response header field; the name is not case-sensitive. */
    Optional<String> header(String name);

    /** Returns the title that the parser found, empty when there is none. */
    String title();

    /**
     * Returns the body as text, decoded by its charset. Content beyond {@code max-parse-bytes} is
     * missing.
     */
    String text();

    /**
     * Returns the body as jsoup's HTML tree, for CSS selectors. It is parsed at the first call; a
     * page whose tree is not requested costs nothing.
     */
    Document document();

    /**
     * Sets a text field. Names have 1 to 64 characters.
     *
     * @throws IllegalArgumentException when the fields would exceed {@link #FIELDS_MAX} or {@link
     *     #FIELD_BYTES_MAX}
     */
    void put(String name, String value);

    /** Sets an integer field. */
    void put(String name, long value);

    /** Sets a number field. */
    void put(String name, double value);

    /** Sets a boolean field. */
    void put(String name, boolean value);

    /** Sets a field with several texts. */
    void put(String name, List<String> values);

    /** Returns the links of the page: those that the parser found, without vetoed ones. */
    List<Link> links();

    /**
     * Adds a link, resolved against the URL of the page. Scope, limits, robots.txt and
     * deduplication apply to it as to every other link.
     *
     * @return false when it is not an http or https URL
     * @throws IllegalStateException when the links would exceed {@link #ADDED_LINKS_MAX} or {@link
     *     #ADDED_LINK_CHARS_MAX}
     */
    @CanIgnoreReturnValue
    boolean addLink(String url);

    /** Removes the links for which the condition holds; they are neither followed nor counted. */
    void removeLinks(Predicate<Link> condition);
}
