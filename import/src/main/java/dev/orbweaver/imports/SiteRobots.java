package dev.orbweaver.imports;

import dev.orbweaver.internal.crawl.RobotsPolicy;
import dev.orbweaver.internal.robots.RobotsOutcome;
import dev.orbweaver.internal.robots.RobotsRules;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.url.CrawlUrls;
import dev.orbweaver.model.CrawlUrl;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The robots.txt rules of the sites that sources request, fetched once per origin. */
final class SiteRobots {

    private static final int ORIGINS_MAX = 1_000;

    private final RobotsPolicy policy;
    private final String productToken;
    private final CrawlUrls urls;
    private final SourceClient client;

    private final Map<String, RobotsRules> byOrigin =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, RobotsRules> eldest) {
                    return size() > ORIGINS_MAX;
                }
            };

    SiteRobots(RobotsPolicy policy, String productToken, CrawlUrls urls, SourceClient client) {
        this.policy = policy;
        this.productToken = productToken;
        this.urls = urls;
        this.client = client;
    }

    /** Returns the rules that apply to a URL. */
    RobotsRules rules(CrawlUrl url, SeedOutput out) throws IOException, InterruptedException {
        return switch (policy) {
            case RobotsPolicy.Ignore _ -> RobotsRules.ALLOW_ALL;
            case RobotsPolicy.Custom(var rules, _, _) -> rules;
            case RobotsPolicy.Obey _ -> fetched(url, out);
        };
    }

    /**
     * Returns the site's own file for its Sitemap lines, which are no rules: they are used even
     * where the crawl applies other rules.
     */
    RobotsRules fetched(CrawlUrl url, SeedOutput out) throws IOException, InterruptedException {
        var known = byOrigin.get(url.origin());
        if (known != null) {
            return known;
        }
        var rules =
                switch (fetch(url, out)) {
                    case RobotsOutcome.Rules(var found) -> found;
                    case RobotsOutcome.Unreachable(var reason) -> RobotsRules.denyAll(reason);
                    case RobotsOutcome.Redirect(var location) ->
                            RobotsRules.denyAll("robots.txt redirects to " + location);
                };
        byOrigin.put(url.origin(), rules);
        return rules;
    }

    private RobotsOutcome fetch(CrawlUrl url, SeedOutput out)
            throws IOException, InterruptedException {
        var next = Optional.of(robotsUrl(url));
        for (var hops = 0; next.isPresent(); hops++) {
            try (var response = client.getOnce(next.get(), SourceClient.Access.ROBOTS, out)) {
                var bytes = response.beginning(RobotsRules.BYTES_MAX);
                var outcome =
                        RobotsOutcome.ofStatus(
                                response.status(),
                                bytes,
                                bytes.length,
                                productToken,
                                hops,
                                response.head().field("location"));
                if (!(outcome instanceof RobotsOutcome.Redirect(var location))) {
                    return outcome;
                }
                next = urls.resolve(next.get(), location);
            } catch (SourceException e) {
                return RobotsOutcome.ofFailure("robots.txt: " + e.getMessage());
            }
        }
        return RobotsOutcome.ofFailure("robots.txt redirects to an invalid URL");
    }

    private CrawlUrl robotsUrl(CrawlUrl url) {
        return urls.resolve(url, "/robots.txt").orElseThrow();
    }
}
