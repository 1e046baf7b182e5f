package dev.orbweaver.internal.robots;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What the owner of a page asks crawlers not to do. Only restrictions are represented. */
public enum Directive {
    /** Do not follow its links. */
    NOFOLLOW("nofollow"),
    /** Do not list it. */
    NOINDEX("noindex"),
    /** Keep no copy to be shown. */
    NOARCHIVE("noarchive"),
    /** Show no part of it. */
    NOSNIPPET("nosnippet"),
    /** No use by generative models at all. */
    NOAI("noai"),
    /** The day after which it is not to be listed has passed. */
    UNAVAILABLE("unavailable"),
    /** No search ({@code search=n}). */
    NO_SEARCH("search=n"),
    /** No input for generative models ({@code ai-use=n}, {@code ai-input=no}). */
    NO_AI_INPUT("ai-input=n"),
    /** No training of generative models ({@code train-ai=n}, {@code ai-train=no}). */
    NO_AI_TRAIN("ai-train=n");

    private final String id;

    Directive(String word) {
        this.id = word;
    }

    public String id() {
        return id;
    }

    public static String text(Collection<Directive> directives) {
        return directives.stream().sorted().map(Directive::id).collect(Collectors.joining(" "));
    }

    /** From the text that {@link #text} made; other words are passed over. */
    public static Set<Directive> parse(String text) {
        var found = EnumSet.noneOf(Directive.class);
        for (var part : text.split(" ", -1)) {
            Arrays.stream(values()).filter(it -> it.id.equals(part)).forEach(found::add);
        }
        return found;
    }

    /** What a word of a robots meta or X-Robots-Tag asks for; most words ask for nothing here. */
    static Set<Directive> ofTagValue(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "none" -> EnumSet.of(NOINDEX, NOFOLLOW);
            case "nocache" -> EnumSet.of(NOARCHIVE);
            case "nofollow", "noindex", "noarchive", "nosnippet", "noai" ->
                    EnumSet.of(byId(word).orElseThrow());
            default -> EnumSet.noneOf(Directive.class);
        };
    }

    private static Optional<Directive> byId(String word) {
        return Arrays.stream(values()).filter(it -> it.id.equalsIgnoreCase(word)).findFirst();
    }
}
