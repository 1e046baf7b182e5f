package dev.orbweaver.cli;

import dev.orbweaver.export.KnownUrl;
import dev.orbweaver.internal.config.Seed;
import dev.orbweaver.internal.seeds.SeedEntry;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Fingerprint;
import dev.orbweaver.model.Hop;
import dev.orbweaver.spi.Scope;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The URLs of a site from several sources, each once by its normal form, up to a maximum. */
final class KnownUrls {

    private final CrawlUrls urls;
    private final Scope scope;
    private final long max;
    private final Map<Fingerprint, KnownUrl> known = new LinkedHashMap<>();
    private long invalid;
    private long refused;
    private String refusal = "";
    private boolean full;

    KnownUrls(CrawlUrls urls, Scope scope, long max) {
        this.urls = urls;
        this.scope = scope;
        this.max = max;
    }

    void add(SeedEntry entry, String source) {
        var url = Seed.read(entry.url(), urls).map(Seed::url);
        if (url.isEmpty()) {
            invalid++;
        } else {
            add(url.get(), entry.lastModified(), source);
        }
    }

    void add(CrawlUrl url, Optional<Instant> lastModified, String source) {
        var verdict = scope.evaluate(url, Hop.LINK, 0);
        if (!verdict.isAccepted()) {
            if (refused++ == 0) {
                refusal = url + ": " + verdict.rule();
            }
            return;
        }
        var entry = known.get(url.key());
        if (entry == null) {
            if (known.size() >= max) {
                full = true;
                return;
            }
            entry = new KnownUrl(url.text(), Collections.emptySortedSet(), Optional.empty());
        }
        known.put(url.key(), entry.with(source, lastModified));
    }

    /** Returns them in the order in which they were found. */
    Collection<KnownUrl> all() {
        return Collections.unmodifiableCollection(known.values());
    }

    /** Returns whether a URL was left out because of the maximum. */
    boolean isFull() {
        return full;
    }

    /** Returns how many entries were not URLs. */
    long invalid() {
        return invalid;
    }

    /** Returns how many entries the scope does not accept. */
    long refused() {
        return refused;
    }

    /** Returns the first of them with the reason. */
    String refusal() {
        return refusal;
    }
}
