package dev.orbweaver.config;

import dev.orbweaver.crawl.Purpose;
import dev.orbweaver.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.scope.Reach;
import dev.orbweaver.sink.Compression;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A setting that takes one of a few words. What the table of settings offers and what a value is
 * checked against are both the constants of one type, so neither can have a word that the other has
 * not.
 */
public final class Choice<E extends Enum<E>> {

    static final Choice<Preset> PRESET = new Choice<>(Preset.KEY, Preset.values());
    static final Choice<Reach> SCOPE = new Choice<>("scope", Reach.values());
    static final Choice<Heed> ROBOTS = new Choice<>(RobotsReader.KEY, Heed.values());
    static final Choice<Heed> NOFOLLOW = new Choice<>("nofollow", Heed.values());
    static final Choice<Purpose> PURPOSE = new Choice<>("purpose", Purpose.values());
    static final Choice<Guard> TRAPS = new Choice<>("traps", Guard.values());
    static final Choice<Durability> DURABILITY = new Choice<>("durability", Durability.values());
    static final Choice<Compression> WARC_COMPRESSION =
            new Choice<>("warc-compression", Compression.values());
    static final Choice<WarcDigests> WARC_DIGESTS =
            new Choice<>("warc-digests", WarcDigests.values());

    /** What to do about a wish of others. */
    enum Heed {
        OBEY,
        IGNORE
    }

    /** Which digests WARC records have. */
    enum WarcDigests {
        BOTH,
        PAYLOAD
    }

    /** What to do about places that go on for ever. */
    enum Guard {
        ON,
        OFF
    }

    private final String key;
    private final List<E> constants;

    /** Of a setting and the constants that it takes. */
    @SafeVarargs
    public Choice(String key, E... constants) {
        this.key = key;
        this.constants = List.of(constants);
    }

    /** The name of the setting. */
    public String key() {
        return key;
    }

    /** What can be chosen, as people write it. */
    public List<String> words() {
        return constants.stream().map(Choice::word).toList();
    }

    /** What a word stands for. */
    public Optional<E> of(String text) {
        return constants.stream().filter(it -> word(it).equalsIgnoreCase(text)).findFirst();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
