package dev.orbweaver.config;

/**
 * Computes the Damerau-Levenshtein distance (optimal string alignment): insertions, deletions,
 * substitutions and swaps of adjacent letters.
 */
final class EditDistance {

    private EditDistance() {}

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
