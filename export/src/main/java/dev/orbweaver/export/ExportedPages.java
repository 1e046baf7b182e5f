package dev.orbweaver.export;

import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.internal.url.Normalisation;

import java.io.IOException;
import java.util.Optional;

/**
 * The set of exported pages, for links between them. It needs 16 bytes per page: file names are
 * derived from URLs again. Only links to pages whose name was changed because of a conflict are not
 * rewritten.
 */
final class ExportedPages {

    private final CrawlUrls urls = new CrawlUrls(Normalisation.DEFAULT);
    private final LongIndex all = new LongIndex();
    private final LongIndex atPreferredPath = new LongIndex();

    ExportedPages(TextStore store) throws IOException {
        store.forEach((_, page) -> add(page));
    }

    private void add(TextPage page) {
        var url = page.page().url();
        all.add(Hashes.number(url));
        if (page.file().equals(preferredPath(url))) {
            atPreferredPath.add(Hashes.number(url));
        }
    }

    /** Returns the anchor of a page in the combined document. */
    static String anchor(String url) {
        return "p-" + Hashes.hex(url, 10);
    }

    Optional<String> anchorLink(String target) {
        var url = withoutFragment(target);
        return all.contains(Hashes.number(url)) ? Optional.of("#" + anchor(url)) : Optional.empty();
    }

    /** Returns the relative link from one file of the tree to another. */
    Optional<String> relativeLink(String file, String target) {
        var url = withoutFragment(target);
        if (!atPreferredPath.contains(Hashes.number(url))) {
            return Optional.empty();
        }
        var fragment = target.substring(url.length());
        return Optional.of(relative(file, preferredPath(url)) + fragment);
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
