package dev.orbweaver.internal.engine;

import dev.orbweaver.internal.crawl.PageExtractor;
import dev.orbweaver.internal.scope.FilteredScope;
import dev.orbweaver.internal.scope.GuardedScope;
import dev.orbweaver.spi.Fetcher;
import dev.orbweaver.spi.Parser;
import dev.orbweaver.spi.Scope;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a program adds to a crawl.
 *
 * @param frontier instead of the frontier on disk
 * @param parsers tried before the built-in ones
 * @param scope instead of the built-in scope
 * @param filters in addition to the scope
 */
public record CrawlExtensions(
        Optional<FrontierFactory> frontier,
        Optional<Fetcher> fetcher,
        List<Parser> parsers,
        Optional<Scope> scope,
        List<Scope> filters,
        PageExtractor extractor,
        List<DeliverySettings> deliveries) {

    public static final CrawlExtensions NONE =
            new CrawlExtensions(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    Optional.empty(),
                    List.of(),
                    PageExtractor.NONE,
                    List.of());

    /**
     * Returns the scope of a crawl: the rules, or the program's scope instead of them, and the
     * program's filters.
     */
    public Scope scopeOver(Supplier<Scope> rules) {
        var result = scope.<Scope>map(GuardedScope::new).orElseGet(rules);
        for (var filter : filters) {
            result = new FilteredScope(result, new GuardedScope(filter));
        }
        return result;
    }

    public CrawlExtensions {
        parsers = List.copyOf(parsers);
        filters = List.copyOf(filters);
        deliveries = List.copyOf(deliveries);
    }
}
