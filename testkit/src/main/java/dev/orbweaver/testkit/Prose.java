package dev.orbweaver.testkit;

/** Generates text. */
final class Prose {

    private static final String[] PLAIN = {
        "amber",
        "anchor",
        "autumn",
        "basket",
        "beacon",
        "bridge",
        "candle",
        "canvas",
        "carbon",
        "cedar",
        "chapter",
        "copper",
        "corner",
        "cotton",
        "crystal",
        "current",
        "delta",
        "desert",
        "distant",
        "ember",
        "engine",
        "fabric",
        "feather",
        "ferry",
        "field",
        "forest",
        "garden",
        "glacier",
        "granite",
        "harbour",
        "harvest",
        "hollow",
        "island",
        "ivory",
        "journal",
        "juniper",
        "kettle",
        "ladder",
        "lantern",
        "lattice",
        "linen",
        "marble",
        "meadow",
        "mirror",
        "needle",
        "northern",
        "orchard",
        "paper",
        "pebble",
        "pepper",
        "pilot",
        "planet",
        "prairie",
        "quarry",
        "quiet",
        "rafter",
        "rapid",
        "reservoir",
        "ribbon",
        "river",
        "saddle",
        "salt",
        "shadow",
        "signal",
        "silver",
        "slender",
        "spiral",
        "station",
        "summer",
        "tailor",
        "tender",
        "thimble",
        "timber",
        "tunnel",
        "umbrella",
        "valley",
        "velvet",
        "village",
        "walnut",
        "water",
        "weaver",
        "willow",
        "window",
        "winter",
        "yarrow",
        "yellow",
        "zephyr"
    };

    /** Words with characters outside ASCII, all within windows-1252. */
    private static final String[] ACCENTED = {
        "café", "façade", "über", "crème", "señal", "garçon", "Ångström", "naïve", "smørrebrød"
    };

    private static final String[] SMALL = {
        "the", "a", "of", "and", "to", "in", "by", "with", "from", "over", "for", "under"
    };

    private Prose() {}

    static String word(SeededRandom seededRandom) {
        return seededRandom.pick(PLAIN);
    }

    static String title(SeededRandom seededRandom) {
        var word = word(seededRandom);
        return Character.toUpperCase(word.charAt(0)) + word.substring(1) + " " + word(seededRandom);
    }

    static void sentence(StringBuilder out, SeededRandom seededRandom) {
        var words = 6 + seededRandom.nextInt(12);
        var word = word(seededRandom);
        out.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
        for (var i = 1; i < words; i++) {
            out.append(' ');
            out.append(
                    seededRandom.oneIn(3)
                            ? seededRandom.pick(SMALL)
                            : seededRandom.oneIn(24)
                                    ? seededRandom.pick(ACCENTED)
                                    : word(seededRandom));
        }
        out.append(seededRandom.oneIn(9) ? "; so it goes &mdash; mostly. " : ". ");
    }
}
