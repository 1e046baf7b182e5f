package dev.orbweaver.imports;

import dev.orbweaver.imports.SourceClient.Access;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.spi.Fetcher.Resolution;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The hosts of a domain that have certificates, from a search in the certificate transparency logs
 * in crt.sh's JSON form. Names that have no public address are rejected.
 */
final class CtSource implements SeedSource {

    /** Default for the maximum number of distinct names. */
    static final int HOSTS_MAX = 10_000;

    private static final int LOOKUPS_AT_ONCE = 16;
    private static final int ATTEMPTS_MAX = 3;

    private final String description;
    private final String domain;
    private final CrawlUrl endpoint;
    private final int hostsMax;
    private final SourceClient client;

    /**
     * @param domain in lower case
     */
    CtSource(
            String description,
            String domain,
            CrawlUrl endpoint,
            int hostsMax,
            SourceClient client) {
        this.description = description;
        this.domain = domain;
        this.endpoint = endpoint;
        this.hostsMax = hostsMax;
        this.client = client;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        var names = names(out);
        out.progress(
                "%s: %,d distinct names, looking up addresses"
                        .formatted(domain, names.found.size()));
        addResolvable(names.found, out);
        if (names.capped) {
            throw new SourceException(
                    "%s: there are certificates for more than %,d hosts; the others were left out, use #max=N for more"
                            .formatted(domain, hostsMax));
        }
    }

    private Names names(SeedOutput out) throws IOException, InterruptedException {
        var separator = endpoint.text().indexOf('?') < 0 ? "?" : "&";
        var text =
                endpoint.text()
                        + separator
                        + "q="
                        + IndexQuery.encode("%." + domain)
                        + "&output=json";
        var url =
                client.urls()
                        .parse(text)
                        .orElseThrow(() -> new SourceException(text + " is too long"));
        for (var attempt = 1; ; attempt++) {
            var names = new Names();
            try (var response = client.get(url, Access.INDEX_SERVER, out)) {
                if (response.status() == 404) {
                    return names;
                }
                if (response.status() != 200) {
                    throw new SourceException(
                            "%s: status %d; try again later, or check ct-endpoint"
                                    .formatted(endpoint.host(), response.status()));
                }
                if (response.looksLikeHtml()) {
                    throw new SourceException(
                            "%s sent an HTML page instead of JSON; try again later, or check ct-endpoint"
                                    .formatted(endpoint.host()));
                }
                names.read(response, out);
                return names;
            } catch (JacksonException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw new SourceException(
                            "%s sent data that is not JSON or is incomplete, also at attempt %d"
                                    .formatted(endpoint.host(), attempt));
                }
                out.progress("%s sent incomplete data; next attempt".formatted(endpoint.host()));
            }
        }
    }

    /** The distinct names of certificates, with the number of the first certificate of each. */
    private final class Names {

        private final Map<String, Long> found = new LinkedHashMap<>();
        private boolean capped;

        Names() {
            found.put(domain, 0L);
        }

        /** Reads an array of certificates, or certificates one after the other. */
        void read(SourceResponse response, SeedOutput out) throws IOException {
            try (var in = response.open();
                    var parser = JsonMapper.shared().createParser(in)) {
                var number = 0L;
                for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
                    if (token == JsonToken.START_OBJECT) {
                        number++;
                    } else if (token == JsonToken.PROPERTY_NAME && hasNames(parser)) {
                        var _ = parser.nextToken();
                        for (var name : parser.getString().split("\\s+", -1)) {
                            add(number, name, out);
                        }
                    }
                }
            }
        }

        private static boolean hasNames(JsonParser parser) {
            return parser.currentName().equals("name_value")
                    || parser.currentName().equals("common_name");
        }

        private void add(long number, String text, SeedOutput out) throws IOException {
            var name = host(text);
            var inDomain = name.equals(domain) || name.endsWith("." + domain);
            // Certificates also have e-mail addresses, organisations and names of other domains.
            if (!inDomain || name.indexOf('@') >= 0 || found.containsKey(name)) {
                return;
            }
            if (!isHostName(name)) {
                LineSource.reject(out, number, text, "not a host name");
            } else if (found.size() >= hostsMax) {
                capped = true;
            } else {
                found.put(name, number);
            }
        }
    }

    /** Reduces a name to a host: wildcards stand for the domain that they are below. */
    private static String host(String text) {
        var name = text.strip().toLowerCase(Locale.ROOT);
        while (name.startsWith("*.")) {
            name = name.substring(2);
        }
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    private static boolean isHostName(String name) {
        return name.length() <= CrawlUrls.HOST_LENGTH_MAX
                && name.chars()
                        .allMatch(
                                c ->
                                        c == '.'
                                                || c == '-'
                                                || c == '_'
                                                || Character.isLetterOrDigit(c));
    }

    private void addResolvable(Map<String, Long> names, SeedOutput out)
            throws IOException, InterruptedException {
        var batch = new ArrayList<String>(LOOKUPS_AT_ONCE);
        try (var lookups = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var name : names.keySet()) {
                batch.add(name);
                if (batch.size() == LOOKUPS_AT_ONCE) {
                    addBatch(batch, names, lookups, out);
                    batch.clear();
                }
            }
            addBatch(batch, names, lookups, out);
        }
    }

    private void addBatch(
            List<String> batch, Map<String, Long> names, ExecutorService lookups, SeedOutput out)
            throws IOException, InterruptedException {
        var tasks = batch.stream().<Callable<String>>map(name -> () -> problem(name)).toList();
        var results = lookups.invokeAll(tasks);
        for (var i = 0; i < batch.size(); i++) {
            var name = batch.get(i);
            try {
                var problem = results.get(i).get();
                if (problem.isEmpty()) {
                    out.add(SeedEntry.of("https://" + name + "/"));
                } else {
                    out.reject(names.getOrDefault(name, 0L), name, problem);
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("look-up of " + name, e.getCause());
            }
        }
    }

    /** Returns why a host cannot be crawled; empty if it has an address. */
    private String problem(String name) {
        var url = client.urls().parse("https://" + name + "/");
        if (url.isEmpty()) {
            return "not a host name";
        }
        return switch (client.resolve(url.get())) {
            case Resolution.Found _ -> "";
            case Resolution.Forbidden(var reason) -> reason;
            case Resolution.NotFound(var reason, _) -> "no address: " + reason;
        };
    }
}
