package dev.orbweaver.config;

import dev.orbweaver.internal.crawl.Purpose;
import dev.orbweaver.internal.frontier.disk.DiskSettings.Durability;
import dev.orbweaver.internal.scope.ScopeType;
import dev.orbweaver.internal.sink.Compression;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A setting that takes one of a few words. What the table of settings offers and what a value is
 * checked against are both the constants of one type, so neither can have a word that the other has
 * not.
 */
public final class Choice<E extends Enum<E>> {

    static final Choice<Preset> PRESET = new Choice<>(Preset.KEY, Preset.class);
    static final Choice<ScopeType> SCOPE = new Choice<>("scope", ScopeType.class);
    static final Choice<ObeyOrIgnore> ROBOTS = new Choice<>(RobotsReader.KEY, ObeyOrIgnore.class);
    static final Choice<ObeyOrIgnore> NOFOLLOW = new Choice<>("nofollow", ObeyOrIgnore.class);
    static final Choice<Purpose> PURPOSE = new Choice<>("purpose", Purpose.class);
    static final Choice<OnOff> TRAPS = new Choice<>("traps", OnOff.class);
    static final Choice<Durability> DURABILITY = new Choice<>("durability", Durability.class);
    static final Choice<Compression> WARC_COMPRESSION =
            new Choice<>("warc-compression", Compression.class);
    static final Choice<WarcDigests> WARC_DIGESTS = new Choice<>("warc-digests", WarcDigests.class);

    /** What to do about a wish of others. */
    enum ObeyOrIgnore {
        OBEY,
        IGNORE
    }

    /** Which digests WARC records have. */
    enum WarcDigests {
        BOTH,
        PAYLOAD
    }

    /** What to do about places that go on for ever. */
    enum OnOff {
        ON,
        OFF
    }

    private final String key;
    private final List<E> constants;

    /** Of a setting and the constants that it takes. */
    public Choice(String key, Class<E> type) {
        this.key = key;
        this.constants = List.of(type.getEnumConstants());
    }

    /** The name of the setting. */
    public String key() {
        return key;
    }

    /** What can be chosen, as people write it. */
    public List<String> ids() {
        return constants.stream().map(Choice::id).toList();
    }

    /** What a word stands for. */
    public Optional<E> parse(String text) {
        return constants.stream().filter(it -> id(it).equalsIgnoreCase(text)).findFirst();
    }

    private static String id(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
