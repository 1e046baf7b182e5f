package dev.orbweaver.imports;

import dev.orbweaver.imports.SourceClient.Access;
import dev.orbweaver.internal.robots.Sitemap;
import dev.orbweaver.internal.robots.SitemapHandler;
import dev.orbweaver.internal.robots.SitemapParser;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The URLs of a site's sitemaps. For the start page of a site these are the sitemaps that
 * robots.txt lists and those at the usual paths; any other URL is a sitemap itself.
 *
 * <p>An index is read depth first: while its (spilled) text is parsed, each sitemap that it lists
 * is fetched and parsed in turn. So memory does not depend on the number of sitemaps or entries.
 */
final class SitemapSource implements SeedSource {

    /** Where sites without a Sitemap line in robots.txt usually have one. */
    private static final List<String> USUAL_PATHS =
            List.of(
                    "/sitemap.xml",
                    "/sitemap_index.xml",
                    "/sitemap.xml.gz",
                    "/sitemap-index.xml",
                    "/sitemap.txt",
                    "/sitemaps.xml",
                    "/wp-sitemap.xml",
                    "/sitemap/sitemap.xml");

    /** An index may list indexes, although sitemaps.org forbids it; deeper ones are loops. */
    private static final int DEPTH_MAX = 5;

    /** Maximum number of sitemaps that indexes list. */
    private static final int SITEMAPS_MAX = 1_000_000;

    private static final SitemapParser.Limits LIMITS =
            new SitemapParser.Limits(SourceClient.BODY_BYTES_MAX, Long.MAX_VALUE);

    private final String description;
    private final CrawlUrl url;
    private final SourceClient client;

    SitemapSource(String description, CrawlUrl url, SourceClient client) {
        this.description = description;
        this.url = url;
        this.client = client;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        var run = new Run(out);
        if (!url.pathAndQuery().equals("/")) {
            run.read(url, 0, true);
        } else {
            for (var listed : client.robots(url, out).sitemaps()) {
                var sitemap = client.urls().resolve(url, listed);
                if (sitemap.isPresent()) {
                    run.read(sitemap.get(), 0, true);
                } else {
                    run.problem("robots.txt lists '%s', which is not a URL".formatted(listed));
                }
            }
            for (var path : USUAL_PATHS) {
                run.read(client.urls().resolve(url, path).orElseThrow(), 0, false);
            }
        }
        run.end();
    }

    /** The state of one pass over all sitemaps. */
    private final class Run {

        private final SeedOutput out;
        private final Set<Fingerprint> seen = new HashSet<>();
        private final Problems problems = new Problems();

        /** Why the first of the usual places that could not be read was not; may be empty. */
        private String unread = "";

        private long entries;
        private long sitemaps;
        private long inIndexes;

        Run(SeedOutput out) {
            this.out = out;
        }

        void problem(String sentence) {
            // The first is in the sentence with which the source ends.
            if (!problems.isEmpty()) {
                out.progress(sentence);
            }
            problems.add(sentence);
        }

        /**
         * Reads a sitemap with all that it lists; a problem does not end the pass.
         *
         * @param listed whether the site names it; a guess may be wrong without a problem
         */
        void read(CrawlUrl sitemap, int depth, boolean listed)
                throws IOException, InterruptedException {
            if (seen.contains(sitemap.key())) {
                return;
            }
            if (depth > 0 && ++inIndexes > SITEMAPS_MAX) {
                if (inIndexes == SITEMAPS_MAX + 1) {
                    problem("indexes list more than %,d sitemaps".formatted(SITEMAPS_MAX));
                }
                return;
            }
            var _ = seen.add(sitemap.key());
            if (depth > DEPTH_MAX) {
                problem("%s: sitemap indexes are nested too deeply".formatted(sitemap));
                return;
            }
            try (var response = client.get(sitemap, Access.SITE, out)) {
                // A redirect may lead to a sitemap that is read already.
                var repeated =
                        !response.url().key().equals(sitemap.key())
                                && !seen.add(response.url().key());
                if (repeated) {
                    return;
                }
                if (response.status() == 200) {
                    parse(response, depth, listed);
                } else if (listed || response.status() / 100 != 4) {
                    problem("%s: status %d".formatted(sitemap, response.status()));
                }
            } catch (SourceClient.ForbiddenException e) {
                if (listed) {
                    problem(e.sentence());
                } else if (unread.isEmpty()) {
                    unread = e.sentence();
                }
            } catch (SourceException e) {
                problem(e.sentence());
            }
        }

        private void parse(SourceResponse response, int depth, boolean listed)
                throws IOException, InterruptedException {
            var before = entries + sitemaps;
            boolean whole;
            try (var in = response.open()) {
                whole =
                        SitemapParser.parse(
                                in,
                                response.contentType(),
                                response.url().text(),
                                LIMITS,
                                new Handler(depth));
            } catch (UncheckedIOException e) {
                if (e.getCause() instanceof InterruptedIOException) {
                    throw new InterruptedException();
                }
                throw e.getCause();
            }
            var found = entries + sitemaps > before;
            if (found) {
                sitemaps++;
                out.progress(
                        "%s: %,d URLs in %,d sitemaps".formatted(url.host(), entries, sitemaps));
            }
            if (!whole && (found || listed)) {
                problem(
                        "%s is %s"
                                .formatted(
                                        response.url(),
                                        found
                                                ? "incomplete or damaged; entries before the damage"
                                                        + " were read"
                                                : "not a sitemap"));
            }
        }

        void end() throws SourceException {
            problems.throwIfAny("%,d URLs were read".formatted(entries));
            if (sitemaps == 0) {
                throw new SourceException(
                        unread.isEmpty()
                                ? "%s has no sitemap".formatted(url)
                                : "%s: no sitemap was found, and not all of the usual places could be requested: %s"
                                        .formatted(url, unread));
            }
        }

        private final class Handler implements SitemapHandler {

            private final int depth;

            Handler(int depth) {
                this.depth = depth;
            }

            @Override
            public void sitemap(String text) {
                try {
                    var sitemap = client.urls().parse(text);
                    if (sitemap.isPresent()) {
                        read(sitemap.get(), depth + 1, true);
                    } else {
                        problem("a sitemap index lists '%s', which is not a URL".formatted(text));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } catch (InterruptedException e) {
                    throw new UncheckedIOException(new InterruptedIOException());
                }
            }

            @Override
            public void page(Sitemap.Entry entry) {
                try {
                    out.add(
                            ++entries,
                            new SeedEntry(entry.url(), entry.priority(), entry.lastModified()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
