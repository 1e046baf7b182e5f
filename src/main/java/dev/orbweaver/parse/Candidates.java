package dev.orbweaver.parse;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.url.LinkResolver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The attribute values of a page that hold links, by their place in the page.
 *
 * <p>They are resolved only when the page has been read to its end: a {@code <base>} counts for the
 * links before it too (HTML standard, 4.2.3).
 */
final class Candidates {

    /** What an attribute's value is. */
    enum Form {
        URL,
        SRCSET,
        REFRESH
    }

    private record Candidate(int start, int end, LinkKind kind, Form form, boolean nofollow) {}

    private final List<Candidate> candidates = new ArrayList<>();

    /** Keeps a value, up to as many as a page may have links. */
    void add(int start, int end, LinkKind kind, Form form, boolean nofollow) {
        if (candidates.size() < LinkSet.LINKS_MAX) {
            candidates.add(new Candidate(start, end, kind, form, nofollow));
        }
    }

    /** Resolves what was kept, in order. */
    void resolve(PageText text, LinkResolver resolver, LinkSet links) {
        for (var candidate : candidates) {
            if (links.isFull()) {
                return;
            }
            resolve(candidate, text, resolver, links);
        }
    }

    private static void resolve(
            Candidate candidate, PageText text, LinkResolver resolver, LinkSet links) {
        var start = candidate.start;
        var end = candidate.end;
        switch (candidate.form) {
            case URL -> add(text.resolve(start, end, resolver), candidate, links);
            case SRCSET -> {
                for (var reference : Srcset.urls(text.attribute(start, end))) {
                    add(text.resolve(reference, resolver), candidate, links);
                }
            }
            case REFRESH ->
                    add(
                            MetaRefresh.parse(text.attribute(start, end))
                                    .flatMap(MetaRefresh::url)
                                    .flatMap(reference -> text.resolve(reference, resolver)),
                            candidate,
                            links);
        }
    }

    private static void add(Optional<CrawlUrl> url, Candidate candidate, LinkSet links) {
        if (url.isPresent()) {
            links.add(url.get(), candidate.kind, candidate.nofollow);
        }
    }
}
