package dev.orbweaver.internal.scope;

import com.google.re2j.Pattern;

import dev.orbweaver.internal.url.RegistrableDomain;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.model.Hop;
import dev.orbweaver.model.Refusal;
import dev.orbweaver.model.ResponseHead;
import dev.orbweaver.model.ScopeType;
import dev.orbweaver.spi.Scope;

import java.math.BigInteger;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The scope defined by settings and seeds. The first rule that rejects decides; seeds are accepted.
 *
 * <p>It is called for every link, so no decision may cost more with more seeds: hosts, domains and
 * directories of the seeds are looked up in hash sets, and the reason is a text that is ready.
 */
public final class RuleScope implements Scope {

    private static final Verdict SEED = new Verdict(Optional.empty(), "a seed");
    private static final Verdict INSIDE = new Verdict(Optional.empty(), "inside the scope");
    private static final Verdict REQUISITES_DISABLED =
            refused(Refusal.REQUISITE, "page requisites are disabled");
    private static final Verdict NOT_INCLUDED = refused(Refusal.RULE, "no include rule matches");

    /**
     * Depth of requisites: a page needs a style sheet, which imports another one, which needs a
     * font.
     */
    private static final int REQUISITE_HOPS_MAX = 5;

    private final ScopeSettings settings;

    /** Hosts of the seeds, for a scope of directories. */
    private final NameSet seedHosts = new NameSet();

    /** Hosts, domains or directories of the seeds. */
    private final NameSet roots = new NameSet();

    private volatile Verdict outside;

    /** The number of slashes in the longest directory: longer ones of a link are no roots. */
    private volatile int deepestRoot;

    /** Verdicts that most refused links get: their texts are not made for each link again. */
    private final Verdict tooDeep;

    private final Map<String, Verdict> skippedExtensions = new HashMap<>();
    private final List<Exclusion> exclusions;

    private record Exclusion(Pattern pattern, Verdict verdict) {}

    public RuleScope(ScopeSettings settings, Collection<CrawlUrl> seeds) {
        this.settings = settings;
        this.tooDeep = tooDeep(settings.depthMax() + 1, settings.depthMax());
        for (var extension : settings.skipExtensions()) {
            skippedExtensions.put(
                    extension,
                    refused(Refusal.EXTENSION, "the extension " + extension + " is skipped"));
        }
        this.exclusions =
                settings.exclude().stream()
                        .map(it -> new Exclusion(it, refused(Refusal.RULE, "excluded by " + it)))
                        .toList();
        for (var seed : seeds) {
            var _ = addRoot(seed);
        }
        this.outside = outside();
    }

    private boolean addRoot(CrawlUrl seed) {
        if (settings.scopeType() != ScopeType.PATH) {
            return roots.add(root(settings.scopeType(), seed));
        }
        var _ = seedHosts.add(seed.host());
        var directory = directory(seed);
        var slashes = (int) directory.chars().filter(c -> c == '/').count();
        synchronized (this) {
            deepestRoot = Math.max(deepestRoot, slashes);
        }
        return roots.add(directory);
    }

    /**
     * Adds the seed to this scope and returns it. A copy would cost as much as there are seeds, and
     * every one of them may redirect.
     */
    @Override
    public Scope withSeed(CrawlUrl seed) {
        if (addRoot(seed)) {
            outside = outside();
        }
        return this;
    }

    /**
     * Adds the host of seeds of which only the host is known. For a scope of directories that is
     * not enough, so it has no effect there.
     */
    public void addSeedHost(String host) {
        var isNew =
                switch (settings.scopeType()) {
                    case HOST, ANY -> roots.add(host);
                    case DOMAIN -> roots.add(RegistrableDomain.of(host));
                    case PATH -> {
                        var _ = seedHosts.add(host);
                        yield false;
                    }
                };
        if (isNew) {
            outside = outside();
        }
    }

    private Verdict outside() {
        return refused(Refusal.SCOPE, "outside " + describeScopeType());
    }

    @Override
    public Verdict evaluate(CrawlUrl url, Hop hop, int depth) {
        if (hop.isSeed()) {
            return SEED;
        }
        if (hop == Hop.EMBED && !settings.requisites()) {
            return REQUISITES_DISABLED;
        }
        var depthMax = settings.depthMax() + (hop == Hop.EMBED ? REQUISITE_HOPS_MAX : 0L);
        if (depth > depthMax) {
            return hop == Hop.EMBED || depth > depthMax + 1 ? tooDeep(depth, depthMax) : tooDeep;
        }
        // Page requisites may be on any host; sites often use separate hosts for them.
        if (hop != Hop.EMBED && !isWithinRoots(url, hop)) {
            return outside;
        }
        return hop == Hop.SITEMAP ? INSIDE : evaluateDocument(url, hop);
    }

    /**
     * Seeds and sitemaps may have any type. Requisites are media, so only their length is checked.
     */
    @Override
    public Verdict evaluate(ResponseHead head, Hop hop) {
        if (hop.isSeed() || hop == Hop.SITEMAP) {
            return INSIDE;
        }
        var type = head.mediaType();
        if (hop != Hop.EMBED && (isSkipped(type) || isSkipped(typeWildcard(type)))) {
            return refused(Refusal.CONTENT, "the media type " + type + " is skipped");
        }
        return declaresLongerThan(head, settings.contentLengthMax())
                ? refused(
                        Refusal.CONTENT,
                        "Content-Length exceeds " + settings.contentLengthMax() + " bytes")
                : INSIDE;
    }

    private boolean isSkipped(String type) {
        return settings.skipTypes().contains(type);
    }

    /** Returns false for a length that is missing or not a number. */
    private static boolean declaresLongerThan(ResponseHead head, long max) {
        var digits = head.field("content-length").orElse("");
        return digits.chars().allMatch(c -> c >= '0' && c <= '9')
                && !digits.isEmpty()
                && new BigInteger(digits).compareTo(BigInteger.valueOf(max)) > 0;
    }

    private Verdict evaluateDocument(CrawlUrl url, Hop hop) {
        if (hop != Hop.EMBED) {
            var skipped = skippedExtensions.get(FileExtensions.of(url));
            if (skipped != null) {
                return skipped;
            }
        }
        for (var exclusion : exclusions) {
            if (exclusion.pattern.matcher(url.text()).find()) {
                return exclusion.verdict;
            }
        }
        return hop == Hop.EMBED || isIncluded(url) ? INSIDE : NOT_INCLUDED;
    }

    private boolean isIncluded(CrawlUrl url) {
        for (var pattern : settings.include()) {
            if (pattern.matcher(url.text()).find()) {
                return true;
            }
        }
        return settings.include().isEmpty();
    }

    private static Verdict tooDeep(long depth, long depthMax) {
        return refused(Refusal.DEPTH, "depth " + depth + " exceeds " + depthMax);
    }

    private boolean isWithinRoots(CrawlUrl url, Hop hop) {
        return switch (settings.scopeType()) {
            case ANY -> true;
            case HOST -> roots.contains(url.host());
            case DOMAIN -> roots.contains(RegistrableDomain.of(url.host()));
            // A sitemap is at the root of the host, even if the scope is a directory below it.
            case PATH ->
                    hop == Hop.SITEMAP ? seedHosts.contains(url.host()) : isBelowRoot(pathOf(url));
        };
    }

    /** Returns whether a directory of a path is a root. */
    private boolean isBelowRoot(String path) {
        var slash = path.indexOf('/');
        for (var depth = 1; slash >= 0 && depth <= deepestRoot; depth++) {
            if (roots.contains(path.substring(0, slash + 1))) {
                return true;
            }
            slash = path.indexOf('/', slash + 1);
        }
        return false;
    }

    private static String root(ScopeType scopeType, CrawlUrl seed) {
        return switch (scopeType) {
            case HOST, ANY -> seed.host();
            case DOMAIN -> RegistrableDomain.of(seed.host());
            case PATH -> directory(seed);
        };
    }

    /** Returns host and path up to the last slash, without scheme, port and query. */
    private static String directory(CrawlUrl seed) {
        var path = pathOf(seed);
        return path.substring(0, path.lastIndexOf('/') + 1);
    }

    private static String pathOf(CrawlUrl url) {
        var target = url.pathAndQuery();
        var query = target.indexOf('?');
        return url.host() + (query < 0 ? target : target.substring(0, query));
    }

    private static Verdict refused(Refusal refusal, String rule) {
        return new Verdict(Optional.of(refusal), rule);
    }

    private String describeScopeType() {
        return switch (settings.scopeType()) {
            case ANY -> "anywhere";
            case HOST, DOMAIN, PATH ->
                    !roots.shown().isEmpty()
                            ? String.join(", ", roots.shown())
                            : "the %,d %s of the seeds".formatted(roots.size(), kindOfRoots());
        };
    }

    private String kindOfRoots() {
        return switch (settings.scopeType()) {
            case ANY, HOST -> "hosts";
            case DOMAIN -> "domains";
            case PATH -> "directories";
        };
    }

    @Override
    public String describe() {
        return Stream.of(
                        List.of(describeScopeType()),
                        rules("including", settings.include()),
                        rules("excluding", settings.exclude()))
                .flatMap(List::stream)
                .collect(Collectors.joining("; "));
    }

    private static List<String> rules(String word, List<Pattern> patterns) {
        return patterns.stream().map(pattern -> word + " " + pattern).toList();
    }

    /** Returns {@code image/*} for {@code image/png}. */
    private static String typeWildcard(String type) {
        var slash = type.indexOf('/');
        return slash < 0 ? type : type.substring(0, slash) + "/*";
    }
}
