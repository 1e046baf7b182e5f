package dev.orbweaver.imports;

import dev.orbweaver.imports.IndexServer.UnexpectedException;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.spi.Fetcher.Resolution;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The hosts of a domain that have certificates, from a search in the certificate transparency logs
 * in crt.sh's JSON form. Names that have no public address are rejected.
 */
final class CtSource implements SeedSource {

    /** Default for the maximum number of distinct names. */
    static final int HOSTS_MAX = 10_000;

    private static final int LOOKUPS_AT_ONCE = 16;

    /** Look-ups end when the name server has been silent for this many DNS timeouts. */
    private static final int SILENCE_MAX = 12;

    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);

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
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            new LookUps(names.found, out, threads).run();
        }
        if (names.capped) {
            throw SourceException.atLimit(
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
        return new IndexServer(client, out)
                .get(
                        url,
                        endpoint.host(),
                        "; wait some hours before the next try, or use another ct-endpoint",
                        () -> "try again later, or check ct-endpoint",
                        response -> {
                            var names = new Names();
                            if (response.status() != 200 || !names.read(response, out)) {
                                throw new UnexpectedException(response);
                            }
                            return names;
                        });
    }

    /** The distinct names of certificates, with the number of the first certificate of each. */
    private final class Names {

        private final Map<String, Long> found = new LinkedHashMap<>();
        private boolean capped;

        Names() {
            found.put(domain, 0L);
        }

        /**
         * Reads an array of certificates, or certificates one after the other.
         *
         * @return false if it is neither
         */
        boolean read(SourceResponse response, SeedOutput out) throws IOException {
            if (response.looksLikeHtml()) {
                return false;
            }
            try (var in = response.open();
                    var parser = JsonMapper.shared().createParser(in)) {
                var number = 0L;
                var named = false;
                var first = parser.nextToken();
                for (var token = first; token != null; token = parser.nextToken()) {
                    if (token == JsonToken.START_OBJECT) {
                        number++;
                    } else if (token == JsonToken.PROPERTY_NAME && hasNames(parser)) {
                        named = true;
                        var _ = parser.nextToken();
                        for (var name : parser.getString().split("\\s+", -1)) {
                            add(number, name, out);
                        }
                    }
                }
                return named || (first == JsonToken.START_ARRAY && number == 0);
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

    /** Looks names up, and those again that got no response, after all others. */
    private final class LookUps {

        private final Map<String, Long> names;
        private final SeedOutput out;
        private final ExecutorService threads;
        private final Map<String, String> unanswered = new LinkedHashMap<>();

        /** When a name server has last said whether a name exists. */
        private long answeredNanos = System.nanoTime();

        private long reportedNanos = System.nanoTime();
        private int done;

        LookUps(Map<String, Long> names, SeedOutput out, ExecutorService threads) {
            this.names = names;
            this.out = out;
            this.threads = threads;
        }

        void run() throws IOException, InterruptedException {
            run(List.copyOf(names.keySet()));
            var again = List.copyOf(unanswered.keySet());
            if (!again.isEmpty()) {
                out.progress(
                        "%s: looking up %,d names again that got no response"
                                .formatted(domain, again.size()));
                unanswered.clear();
                done -= again.size();
                run(again);
            }
            for (var name : unanswered.entrySet()) {
                reject(name.getKey(), "no address: " + name.getValue());
            }
        }

        private void run(List<String> wanted) throws IOException, InterruptedException {
            for (var from = 0; from < wanted.size(); from += LOOKUPS_AT_ONCE) {
                add(wanted.subList(from, Math.min(wanted.size(), from + LOOKUPS_AT_ONCE)));
                var now = System.nanoTime();
                if (now - answeredNanos > client.lookupTimeout().toNanos() * SILENCE_MAX) {
                    throw new SourceException(
                            "the name server has not answered for %d s; %,d of %,d names were not looked up, try again later"
                                    .formatted(
                                            (now - answeredNanos) / 1_000_000_000,
                                            names.size() - done + unanswered.size(),
                                            names.size()));
                }
                if (now - reportedNanos > PROGRESS_INTERVAL.toNanos()) {
                    reportedNanos = now;
                    out.progress(
                            "%s: %,d of %,d names looked up".formatted(domain, done, names.size()));
                }
            }
        }

        private void add(List<String> batch) throws IOException, InterruptedException {
            var tasks = batch.stream().<Callable<Resolution>>map(name -> () -> resolve(name));
            var results = threads.invokeAll(tasks.toList());
            for (var i = 0; i < batch.size(); i++) {
                add(batch.get(i), result(batch.get(i), results.get(i)));
            }
            done += batch.size();
        }

        private void add(String name, Resolution resolution) throws IOException {
            if (resolution instanceof Resolution.NotFound(var reason, var nonexistent)
                    && !nonexistent) {
                unanswered.put(name, reason);
                return;
            }
            answeredNanos = System.nanoTime();
            switch (resolution) {
                case Resolution.Found _ ->
                        out.add(number(name), SeedEntry.of("https://" + name + "/"));
                case Resolution.Forbidden(var reason) -> reject(name, reason);
                case Resolution.NotFound(var reason, _) -> reject(name, "no address: " + reason);
            }
        }

        private void reject(String name, String reason) throws IOException {
            out.reject(number(name), name, reason);
        }

        private long number(String name) {
            return names.getOrDefault(name, 0L);
        }
    }

    private static Resolution result(String name, Future<Resolution> lookup)
            throws InterruptedException {
        try {
            return lookup.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("look-up of " + name, e.getCause());
        }
    }

    private Resolution resolve(String name) {
        return client.urls()
                .parse("https://" + name + "/")
                .map(client::resolve)
                .orElse(new Resolution.Forbidden("not a host name"));
    }
}
