package dev.orbweaver.internal.robots;

import java.util.Locale;
import java.util.Optional;

/**
 * The name of a crawler in robots.txt: letters, {@code _} and {@code -} only (RFC 9309 section
 * 2.2.1).
 */
public final class ProductToken {

    private ProductToken() {}

    /**
     * Returns the product token of a User-Agent's first product in lower case, {@code foo} for
     * {@code Foo/1.0}. Empty if its name is not a product token.
     */
    public static Optional<String> of(String userAgent) {
        var text = userAgent.strip();
        var token = prefix(text);
        var named = !token.isEmpty() && endsProduct(text, token.length());
        return named ? Optional.of(token.toLowerCase(Locale.ROOT)) : Optional.empty();
    }

    /** Returns the longest prefix of the text that could be a token; may be empty. */
    static String prefix(String text) {
        var end = 0;
        while (end < text.length() && isTokenCharacter(text.charAt(end))) {
            end++;
        }
        return text.substring(0, end);
    }

    /**
     * Returns the name at the start of a user-agent line or of a crawler's own name, digits
     * included. RFC 9309 has no digits in tokens, but files name {@code MJ12bot}, and a crawler
     * named {@code bot} should not obey rules for {@code bot2}.
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
