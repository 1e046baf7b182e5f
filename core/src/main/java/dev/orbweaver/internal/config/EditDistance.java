package dev.orbweaver.internal.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Computes the Damerau-Levenshtein distance (optimal string alignment): insertions, deletions,
 * substitutions and swaps of adjacent letters.
 */
public final class EditDistance {

    private static final int TYPO_EDITS_MAX = 2;
    private static final int PREFIX_MIN = 3;

    private EditDistance() {}

    /**
     * Returns the name that was probably meant: at most two edits away, fewer for short words, or
     * the first one that begins with the word.
     */
    public static Optional<String> nearest(String word, Collection<String> names) {
        var edits = Math.min(TYPO_EDITS_MAX, (word.length() + 2) / 3);
        return names.stream()
                .min(Comparator.comparingInt(name -> of(word, name)))
                .filter(best -> of(word, best) <= edits)
                .or(
                        () ->
                                names.stream()
                                        .filter(_ -> word.length() >= PREFIX_MIN)
                                        .filter(name -> name.startsWith(word))
                                        .findFirst());
    }

    static int of(String from, String to) {
        var distance = new int[from.length() + 1][to.length() + 1];
        for (var i = 0; i <= from.length(); i++) {
            for (var j = 0; j <= to.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : step(distance, from, to, i, j);
            }
        }
        return distance[from.length()][to.length()];
    }

    private static int step(int[][] distance, String from, String to, int i, int j) {
        var same = from.charAt(i - 1) == to.charAt(j - 1);
        var changed = distance[i - 1][j - 1] + (same ? 0 : 1);
        var best = Math.min(changed, Math.min(distance[i - 1][j], distance[i][j - 1]) + 1);
        var swapped =
                i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
        return swapped ? Math.min(best, distance[i - 2][j - 2] + 1) : best;
    }
}
