package dev.orbweaver.internal.robots;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A restriction that the owner of a page asks crawlers to obey. Permissions are not represented.
 */
public enum Directive {
    /** Do not follow its links. */
    NOFOLLOW("nofollow"),
    /** Do not list it in search results. */
    NOINDEX("noindex"),
    /** Do not show a stored copy. */
    NOARCHIVE("noarchive"),
    /** Do not show excerpts. */
    NOSNIPPET("nosnippet"),
    /** No use by generative models. */
    NOAI("noai"),
    /** Do not list it: its {@code unavailable_after} date has passed. */
    UNAVAILABLE("unavailable"),
    /** No search ({@code search=n}). */
    NO_SEARCH("search=n"),
    /** No input for generative models ({@code ai-use=n}, {@code ai-input=no}). */
    NO_AI_INPUT("ai-input=n"),
    /** No training of generative models ({@code train-ai=n}, {@code ai-train=no}). */
    NO_AI_TRAIN("ai-train=n");

    private final String id;

    Directive(String id) {
        this.id = id;
    }

    public String id() {
        return id;
    }

    public static String text(Collection<Directive> directives) {
        return directives.stream().sorted().map(Directive::id).collect(Collectors.joining(" "));
    }

    /** Parses the output of {@link #text}; unknown words are ignored. */
    public static Set<Directive> parse(String text) {
        var found = EnumSet.noneOf(Directive.class);
        for (var part : text.split(" ", -1)) {
            Arrays.stream(values()).filter(it -> it.id.equals(part)).forEach(found::add);
        }
        return found;
    }

    /**
     * Returns the restrictions of one value of a robots meta or X-Robots-Tag; most values have
     * none.
     */
    static Set<Directive> ofTagValue(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "none" -> EnumSet.of(NOINDEX, NOFOLLOW);
            case "nocache" -> EnumSet.of(NOARCHIVE);
            case "nofollow", "noindex", "noarchive", "nosnippet", "noai" ->
                    EnumSet.of(byId(value).orElseThrow());
            default -> EnumSet.noneOf(Directive.class);
        };
    }

    private static Optional<Directive> byId(String id) {
        return Arrays.stream(values()).filter(it -> it.id.equalsIgnoreCase(id)).findFirst();
    }
}
