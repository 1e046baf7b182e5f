package dev.orbweaver.imports;

import dev.orbweaver.imports.IndexServer.RefusedException;
import dev.orbweaver.imports.IndexServer.UnexpectedException;
import dev.orbweaver.imports.SourceClient.Access;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.model.CrawlUrl;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;

/**
 * The URLs that Common Crawl has captured, from its index server: {@code collinfo.json} lists the
 * crawls, newest first; each has an index in pages of JSON lines.
 *
 * <p>A page that fails is read again after all others. What fails then too is reported at the end,
 * so that one bad page costs no other page.
 */
final class CommonCrawlSource implements SeedSource {

    private static final int COLLINFO_BYTES_MAX = 16 << 20;
    private static final int LINE_BYTES_MAX = 1 << 20;
    private static final String REFUSED_ADVICE =
            "; wait some hours before the next try, or use another common-crawl-endpoint";
    private static final int PAGES_MAX = 1_000_000;

    /** The server, and not one page, is the problem if this many pages fail in a row. */
    private static final int FAILED_IN_A_ROW_MAX = 3;

    private final String description;
    private final IndexQuery query;
    private final CrawlUrl endpoint;
    private final int crawlsMax;
    private final SourceClient client;

    CommonCrawlSource(
            String description,
            IndexQuery query,
            CrawlUrl endpoint,
            int crawlsMax,
            SourceClient client) {
        this.description = description;
        this.query = query;
        this.endpoint = endpoint;
        this.crawlsMax = crawlsMax;
        this.client = client;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        var run = new Run(out);
        var indexes = indexes(run);
        for (var i = 0; i < indexes.size() && !run.refused; i++) {
            run.read(indexes.get(i));
        }
        run.problems.throwIfAny("%,d URLs were read".formatted(run.count));
    }

    /** Returns the newest indexes. */
    private List<CrawlUrl> indexes(Run run) throws IOException, InterruptedException {
        var list = client.urls().resolve(endpoint, "collinfo.json").orElseThrow();
        return run.get(
                list,
                response -> {
                    var indexes = new ArrayList<CrawlUrl>();
                    if (response.status() == 200) {
                        addIndexes(json(response.beginning(COLLINFO_BYTES_MAX)), indexes);
                    }
                    if (indexes.isEmpty()) {
                        throw new UnexpectedException(response);
                    }
                    return indexes.subList(0, Math.min(indexes.size(), crawlsMax));
                });
    }

    private void addIndexes(JsonNode crawls, List<CrawlUrl> indexes) {
        for (var crawl : crawls) {
            // The server may be a mirror: only the path of the address counts.
            client.urls()
                    .parse(crawl.path("cdx-api").asString(""))
                    .flatMap(api -> client.urls().resolve(endpoint, api.pathAndQuery()))
                    .ifPresent(indexes::add);
        }
    }

    /** Parses JSON; anything else is an empty object. */
    private static JsonNode json(byte[] text) {
        try {
            return JsonMapper.shared().readTree(text);
        } catch (JacksonException e) {
            return JsonMapper.shared().createObjectNode();
        }
    }

    private final class Run {

        private final SeedOutput out;
        private final Problems problems = new Problems();
        private final IndexQuery.Recent recent = new IndexQuery.Recent();
        private String lastFailure = "";
        private long count;
        private boolean refused;

        Run(SeedOutput out) {
            this.out = out;
        }

        /** Reads an index; its problems do not end the run. */
        void read(CrawlUrl index) throws IOException, InterruptedException {
            try {
                var pages = pages(index);
                var failed = read(index, pages, IntStream.range(0, pages).iterator());
                if (!failed.isEmpty()) {
                    out.progress("reading %d failed pages again".formatted(failed.size()));
                    var lost =
                            read(index, pages, failed.stream().mapToInt(page -> page).iterator());
                    if (!lost.isEmpty()) {
                        problems.add(
                                "%s: %d of %d pages could not be read: %s"
                                        .formatted(index, lost.size(), pages, lastFailure));
                    }
                }
            } catch (SourceException e) {
                refused = e instanceof RefusedException;
                problems.add(e.sentence());
            }
        }

        /** Requests what all pages depend on. */
        <T> T get(CrawlUrl url, IndexServer.Reader<T> reader)
                throws IOException, InterruptedException {
            return new IndexServer(client, out)
                    .get(
                            url,
                            url.text(),
                            REFUSED_ADVICE,
                            () -> "try again later, or check common-crawl-endpoint",
                            reader);
        }

        /** Reads pages and returns those that failed. */
        private List<Integer> read(CrawlUrl index, int pages, PrimitiveIterator.OfInt numbers)
                throws IOException, InterruptedException {
            var failed = new ArrayList<Integer>();
            var inARow = 0;
            while (numbers.hasNext()) {
                var page = numbers.nextInt();
                var problem =
                        inARow < FAILED_IN_A_ROW_MAX
                                ? readPage(index, page)
                                : Optional.of(lastFailure);
                if (problem.isPresent()) {
                    lastFailure = problem.get();
                    failed.add(page);
                    inARow++;
                } else {
                    inARow = 0;
                    out.progress(
                            "%s: page %,d of %,d, %,d URLs"
                                    .formatted(
                                            index.pathAndQuery().substring(1),
                                            page + 1,
                                            pages,
                                            count));
                }
            }
            return failed;
        }

        /** Returns the number of pages; 0 if there are no captures. */
        private int pages(CrawlUrl index) throws IOException, InterruptedException {
            var url = query.url(index, query.parameters() + "&showNumPages=true");
            var pages = get(url, CommonCrawlSource::pages);
            if (pages > PAGES_MAX) {
                problems.add(
                        "%s: of %,d pages only %,d were read".formatted(index, pages, PAGES_MAX));
            }
            return Math.min(pages, PAGES_MAX);
        }

        /** Returns why a page could not be read. */
        private Optional<String> readPage(CrawlUrl index, int page)
                throws IOException, InterruptedException {
            var url = query.url(index, query.parameters() + "&fl=url&page=" + page);
            try (var response = client.get(url, Access.INDEX_SERVER, out)) {
                requireAccess(response);
                if (isNone(response) || isBeyondEnd(response)) {
                    return Optional.empty();
                }
                if (response.status() != 200) {
                    return Optional.of("page %d: status %d".formatted(page, response.status()));
                }
                return readLines(response, page);
            } catch (RefusedException e) {
                throw e;
            } catch (SourceException e) {
                return Optional.of(e.sentence());
            }
        }

        private Optional<String> readLines(SourceResponse response, int page) throws IOException {
            try (var lines = new BoundedLines(response.open(), LINE_BYTES_MAX)) {
                while (lines.next()) {
                    var text = lines.text();
                    if (text.isBlank()) {
                        continue;
                    }
                    var url = lines.isTooLong() ? Optional.<String>empty() : url(text);
                    if (url.isEmpty()) {
                        return Optional.of(
                                "page %d, line %d is not a line of the index: the server sent %s"
                                        .formatted(
                                                page,
                                                lines.number(),
                                                IndexQuery.unexpected(response)));
                    }
                    if (recent.isNew(url.get())) {
                        out.add(++count, SeedEntry.of(url.get()));
                    }
                }
                return Optional.empty();
            }
        }

        private static Optional<String> url(String line) {
            try {
                var url = JsonMapper.shared().readTree(line).path("url");
                return url.isString() ? Optional.of(url.stringValue()) : Optional.empty();
            } catch (JacksonException e) {
                return Optional.empty(); // The page is read again.
            }
        }
    }

    /** A 404 with a message in JSON says that there are no captures; any other is an error. */
    private static boolean isNone(SourceResponse response) throws IOException {
        return response.status() == 404 && message(response).isPresent();
    }

    /** The index may have fewer pages than it said. */
    private static boolean isBeyondEnd(SourceResponse response) throws IOException {
        return response.status() == 400
                && message(response).filter(text -> text.contains("Last Page")).isPresent();
    }

    private static Optional<String> message(SourceResponse response) throws IOException {
        var message = json(response.beginning(LINE_BYTES_MAX)).path("message");
        return message.isString() ? Optional.of(message.stringValue()) : Optional.empty();
    }

    private static int pages(SourceResponse response) throws IOException {
        if (isNone(response)) {
            return 0;
        }
        var answer = json(response.beginning(LINE_BYTES_MAX));
        var pages = answer.isIntegralNumber() ? answer : answer.path("pages");
        if (response.status() != 200 || !pages.canConvertToInt() || pages.asInt() < 0) {
            throw new UnexpectedException(response);
        }
        return pages.asInt();
    }

    private static void requireAccess(SourceResponse response) throws RefusedException {
        if (response.status() == 401 || response.status() == 403) {
            throw new RefusedException(response.url(), response.status(), REFUSED_ADVICE);
        }
    }
}
