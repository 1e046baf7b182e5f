package dev.orbweaver.internal.config;

import dev.orbweaver.internal.crawl.Purpose;
import dev.orbweaver.internal.sink.Compression;
import dev.orbweaver.model.Durability;
import dev.orbweaver.model.ScopeType;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A setting whose value is one of a few words: the constants of an enum. */
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

    enum ObeyOrIgnore {
        OBEY,
        IGNORE
    }

    enum WarcDigests {
        BOTH,
        PAYLOAD
    }

    enum OnOff {
        ON,
        OFF
    }

    private final String key;
    private final List<E> constants;

    public Choice(String key, Class<E> type) {
        this.key = key;
        this.constants = List.of(type.getEnumConstants());
    }

    public String key() {
        return key;
    }

    /** Returns the accepted words, such as {@code ai-input}. */
    public List<String> ids() {
        return constants.stream().map(Choice::id).toList();
    }

    public Optional<E> parse(String text) {
        return constants.stream().filter(it -> id(it).equalsIgnoreCase(text)).findFirst();
    }

    private static String id(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
