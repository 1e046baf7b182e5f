package dev.orbweaver.imports;

import dev.orbweaver.imports.IndexServer.UnexpectedException;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.model.CrawlUrl;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * The URLs that the Wayback Machine has captured, from its CDX server.
 *
 * <p>A response is one JSON array of rows. The first row has the names of the columns. If there is
 * more, the last rows are an empty one and one with the key of the next request.
 */
final class WaybackSource implements SeedSource {

    private static final int ROWS_PER_REQUEST = 50_000;
    private static final int REQUESTS_MAX = 100_000;

    private final String description;
    private final IndexQuery query;
    private final CrawlUrl endpoint;
    private final SourceClient client;

    WaybackSource(String description, IndexQuery query, CrawlUrl endpoint, SourceClient client) {
        this.description = description;
        this.query = query;
        this.endpoint = endpoint;
        this.client = client;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        var rows = new Rows(out);
        var seenKeys = new HashSet<String>();
        var key = Optional.<String>empty();
        do {
            key = read(key, rows);
            out.progress("%s: %,d URLs".formatted(endpoint.host(), rows.count));
            if (key.isPresent() && !seenKeys.add(key.get())) {
                throw new SourceException(
                        "%s repeats the resume key '%s', so its list has no end; %,d URLs were read"
                                .formatted(endpoint.host(), key.get(), rows.count));
            }
            if (seenKeys.size() > REQUESTS_MAX) {
                throw new SourceException(
                        "%s sent more than %,d responses; %,d URLs were read"
                                .formatted(endpoint.host(), REQUESTS_MAX, rows.count));
            }
        } while (key.isPresent());
    }

    /** Reads one response and returns the key of the next; repeats what is incomplete. */
    private Optional<String> read(Optional<String> key, Rows rows)
            throws IOException, InterruptedException {
        var parameters =
                query.parameters()
                        + "&fl=original&collapse=urlkey&showResumeKey=true&limit="
                        + ROWS_PER_REQUEST
                        + key.map(text -> "&resumeKey=" + resumeKey(text)).orElse("");
        var url = query.url(endpoint, parameters);
        return new IndexServer(client, rows.out)
                .get(
                        url,
                        endpoint.host(),
                        ": the site may be excluded from the archive, or this machine blocked",
                        () -> "%,d URLs were read".formatted(rows.count),
                        response -> {
                            requireFound(response);
                            return rows.read(response, key.isPresent());
                        });
    }

    /** The server sends the key encoded for a URL. */
    private static String resumeKey(String key) {
        return key.matches("[A-Za-z0-9%+._*~!'()-]*") ? key : IndexQuery.encode(key);
    }

    private static void requireFound(SourceResponse response) throws IOException {
        if (response.status() != 200) {
            throw new SourceException(
                    "%s sent %s; check wayback-endpoint"
                            .formatted(response.url().host(), IndexQuery.unexpected(response)));
        }
        if (response.looksLikeHtml()) {
            throw new UnexpectedException(response);
        }
    }

    private final class Rows {

        private final SeedOutput out;
        private final IndexQuery.Recent recent = new IndexQuery.Recent();
        private long count;

        Rows(SeedOutput out) {
            this.out = out;
        }

        /**
         * Passes on the URLs of a response; returns the resume key.
         *
         * @param continued whether the response before announced this one
         */
        Optional<String> read(SourceResponse response, boolean continued) throws IOException {
            try (var in = response.open();
                    var parser = JsonMapper.shared().createParser(in)) {
                var first = parser.nextToken();
                if (first == null && continued) {
                    throw new UnexpectedException(response);
                }
                if (first == null) {
                    return Optional.empty(); // No captures may also be an empty body.
                }
                if (first != JsonToken.START_ARRAY) {
                    throw new SourceException(
                            "%s sent %s"
                                    .formatted(endpoint.host(), IndexQuery.unexpected(response)));
                }
                return readRows(parser);
            }
        }

        private Optional<String> readRows(JsonParser parser) throws IOException {
            var column = -1;
            var key = Optional.<String>empty();
            var atEnd = false;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                var row = row(parser);
                if (atEnd) {
                    key = row.isEmpty() ? Optional.empty() : Optional.of(row.getFirst());
                } else if (row.isEmpty()) {
                    atEnd = true;
                } else if (column < 0) {
                    column = column(row);
                } else if (column < row.size() && recent.isNew(row.get(column))) {
                    out.add(++count, SeedEntry.of(row.get(column)));
                }
            }
            return key;
        }

        private int column(List<String> names) throws SourceException {
            var column = Math.max(names.indexOf("original"), names.indexOf("url"));
            if (column < 0) {
                throw new SourceException(
                        "%s sent no column 'original' but %s; check wayback-endpoint"
                                .formatted(endpoint.host(), String.join(", ", names)));
            }
            return column;
        }

        private List<String> row(JsonParser parser) throws SourceException {
            if (parser.currentToken() != JsonToken.START_ARRAY) {
                throw new SourceException(
                        "%s sent an array of something other than rows; check wayback-endpoint"
                                .formatted(endpoint.host()));
            }
            var row = new ArrayList<String>();
            for (var token = parser.nextToken();
                    token != JsonToken.END_ARRAY;
                    token = parser.nextToken()) {
                row.add(parser.getString());
            }
            return row;
        }
    }
}
