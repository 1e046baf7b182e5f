package dev.orbweaver.export;

import dev.orbweaver.internal.archive.StoredPage;

import java.time.Instant;
import java.util.List;

/** The difference between two states of one page. */
sealed interface PageChange {

    /**
     * A page that was not there before.
     *
     * @param page the first visit that stored the page
     */
    record New(StoredPage page) implements PageChange {}

    /**
     * A page that is not there any more.
     *
     * @param page the last visit that stored the page
     * @param seen when it was missing for the first time
     */
    record Gone(StoredPage page, Instant seen) implements PageChange {}

    /**
     * A change of the main text, or of a document without text.
     *
     * @param before the last visit with the earlier content
     * @param after the first visit with the later content
     * @param lines the difference, as {@link LineDiff} has it
     * @param readable whether both texts could be processed
     */
    record Changed(StoredPage before, StoredPage after, List<String> lines, boolean readable)
            implements PageChange {}

    /** A change of other parts than the main text, such as menus, dates and scripts. */
    record Markup(StoredPage before, StoredPage after) implements PageChange {}

    /** Returns the visit that the change is reported for. */
    default StoredPage page() {
        return switch (this) {
            case New(var page) -> page;
            case Gone(var page, _) -> page;
            case Changed changed -> changed.after;
            case Markup(_, var after) -> after;
        };
    }

    /** Returns the word for the kind of change in all formats. */
    default String kind() {
        return switch (this) {
            case New _ -> "new";
            case Gone _ -> "gone";
            case Changed _ -> "changed";
            case Markup _ -> "markup";
        };
    }

    /** Returns when the crawl first found the change. */
    default Instant time() {
        return this instanceof Gone(_, var seen) ? seen : page().time();
    }
}
