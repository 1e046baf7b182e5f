package dev.orbweaver.export;

import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import java.io.IOException;
import java.util.Optional;

/**
 * The set of exported pages, for links between them. It needs 24 bytes per page and for each
 * distinct fragment that is linked to: file names are derived from URLs again. Only links to pages
 * whose name was changed because of a conflict are not rewritten.
 */
final class ExportedPages {

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);
    private final LongIndex all = new LongIndex();
    private final LongIndex atPreferredPath = new LongIndex();
    private final LongIndex linked = new LongIndex();
    private final LongIndex anchors = new LongIndex();

    ExportedPages(TextStore store) throws IOException {
        store.forEach((_, page) -> add(page));
        store.forEach((_, page) -> addAnchors(page.page()));
    }

    private void add(TextPage page) {
        var url = page.page().url();
        all.add(Hashes.number(url));
        if (page.file().equals(preferredPath(url))) {
            atPreferredPath.add(Hashes.number(url));
        }
        MarkdownLines.forEachTarget(
                page.page().body(),
                target -> {
                    if (target.indexOf('#') >= 0) {
                        linked.add(place(withoutFragment(target), fragmentOf(target)));
                    }
                });
    }

    /** Adds the ids that a page links to. */
    private void addAnchors(MarkdownPage page) {
        for (var anchor : page.anchors()) {
            var place = place(page.url(), PageAnchors.key(anchor.id()));
            if (linked.contains(place)) {
                anchors.add(place);
            }
        }
    }

    private static long place(String url, String id) {
        return Hashes.number(url + "#" + id);
    }

    /** Returns the anchor of a page in the combined document. */
    static String anchor(String url) {
        return "p-" + Hashes.hex(url, 10);
    }

    /** Returns the name of an id in the file of its page; empty if no exported page links to it. */
    Optional<String> anchorInPage(String url, String id) {
        var key = PageAnchors.key(id);
        return anchors.contains(place(url, key)) ? Optional.of(key) : Optional.empty();
    }

    /** Returns the name of an id in the combined document, in which ids of pages may be equal. */
    Optional<String> anchorInDocument(String url, String id) {
        return anchorInPage(url, id).map(key -> anchor(url) + "-" + key);
    }

    Optional<String> anchorLink(String target) {
        var url = withoutFragment(target);
        if (!all.contains(Hashes.number(url))) {
            return Optional.empty();
        }
        return anchorInDocument(url, fragmentOf(target))
                .map(PageAnchors::fragment)
                .or(() -> Optional.of("#" + anchor(url)));
    }

    /**
     * Returns the relative link from one file of the tree to another. A fragment that the Markdown
     * of the page does not have is left out.
     */
    Optional<String> relativeLink(String file, String target) {
        var url = withoutFragment(target);
        if (!atPreferredPath.contains(Hashes.number(url))) {
            return Optional.empty();
        }
        var fragment = anchorInPage(url, fragmentOf(target)).map(PageAnchors::fragment).orElse("");
        var path = preferredPath(url);
        return Optional.of(
                path.equals(file) && !fragment.isEmpty()
                        ? fragment
                        : relative(file, path) + fragment);
    }

    /** Returns the decoded fragment of a target; empty if there is none. */
    private static String fragmentOf(String target) {
        var hash = target.indexOf('#');
        return hash < 0 ? "" : PageAnchors.key(target.substring(hash + 1));
    }

    private String preferredPath(String url) {
        return urls.parse(url).map(known -> FileNames.preferredPath(known.text())).orElse("");
    }

    private static String withoutFragment(String target) {
        var hash = target.indexOf('#');
        return hash < 0 ? target : target.substring(0, hash);
    }

    /** Escapes a relative path for a link target. */
    private static String relative(String from, String to) {
        var common = 0;
        for (var i = 0; i < Math.min(from.length(), to.length()); i++) {
            if (from.charAt(i) != to.charAt(i)) {
                break;
            }
            if (from.charAt(i) == '/') {
                common = i + 1;
            }
        }
        var ups = from.substring(common).chars().filter(c -> c == '/').count();
        return "../".repeat((int) ups) + encode(to.substring(common));
    }

    private static String encode(String path) {
        var out = new StringBuilder();
        for (var i = 0; i < path.length(); i++) {
            var c = path.charAt(i);
            switch (c) {
                case ' ' -> out.append("%20");
                case '%' -> out.append("%25");
                case '#' -> out.append("%23");
                case '(' -> out.append("%28");
                case ')' -> out.append("%29");
                default -> out.append(c);
            }
        }
        return out.toString();
    }
}
