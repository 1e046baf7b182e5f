package dev.orbweaver.export;

import dev.orbweaver.internal.parse.MinHash;

/**
 * A sketch of a text and the number of its features, for estimating how much two texts have in
 * common.
 */
final class TextSketch {

    private final byte[] bins;
    private final int features;

    /**
     * Creates a sketch.
     *
     * @param features the number of features; the same for all sketches if it is not known
     */
    TextSketch(byte[] bins, int features) {
        this.bins = bins;
        this.features = features;
    }

    byte[] bins() {
        return bins;
    }

    int features() {
        return features;
    }

    /**
     * Returns the estimated share of the longer text's features that the shorter one has. With n
     * and m features and c of them in common, the Jaccard similarity is c / (n + m - c).
     */
    double overlap(TextSketch other) {
        var jaccard = MinHash.similarity(bins, other.bins);
        var ratio =
                (double) Math.min(features, other.features) / Math.max(features, other.features);
        return jaccard / (1 + jaccard) * (1 + ratio);
    }
}
