package dev.orbweaver.internal.robots;

import java.util.Locale;
import java.util.Optional;

/**
 * The name a crawler goes by in robots.txt: letters, {@code _} and {@code -} only (RFC 9309 section
 * 2.2.1).
 */
public final class ProductToken {

    private ProductToken() {}

    /** Whether the text is a product token as a whole. */
    public static boolean isValid(String text) {
        return !text.isEmpty() && prefix(text).length() == text.length();
    }

    /**
     * The token, in lower case, of a User-Agent's first product: {@code foo} for {@code Foo/1.0
     * (+https://foo.example)}; empty when the first product's name is not a product token.
     */
    public static Optional<String> of(String userAgent) {
        var text = userAgent.strip();
        var token = prefix(text);
        var named = !token.isEmpty() && endsProduct(text, token.length());
        return named ? Optional.of(token.toLowerCase(Locale.ROOT)) : Optional.empty();
    }

    /** The longest beginning of the text that could be a token; may be empty. */
    static String prefix(String text) {
        var end = 0;
        while (end < text.length() && isTokenCharacter(text.charAt(end))) {
            end++;
        }
        return text.substring(0, end);
    }

    /**
     * The name at the beginning of a user-agent line's value, or of a crawler's own: a token in
     * which digits are let pass. The standard has no digits in tokens, but files name {@code
     * MJ12bot}, and a crawler called {@code bot} should not take {@code bot2}'s rules for its own.
     */
    static String name(String text) {
        var end = 0;
        while (end < text.length()
                && (isTokenCharacter(text.charAt(end)) || isDigit(text.charAt(end)))) {
            end++;
        }
        return text.substring(0, end);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isTokenCharacter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    }

    private static boolean endsProduct(String text, int at) {
        return at == text.length() || " \t/(;".indexOf(text.charAt(at)) >= 0;
    }
}
