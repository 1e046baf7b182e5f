package dev.orbweaver.internal.config;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * How long replaced captures are kept.
 *
 * @param age captures that were replaced longer ago are dropped; empty for no limit
 * @param bytesMax the WARC files may have this many bytes before captures are dropped
 */
public record Retention(Optional<Duration> age, long bytesMax) {

    /** The key of the setting. */
    public static final String KEY = "retention";

    public static final String EXPECTED =
            "an age such as 90d, a size such as 200GB, or both separated by a comma";

    public static final Retention NONE = new Retention(Optional.empty(), Long.MAX_VALUE);

    /** Parses {@code 90d}, {@code 200GB} or {@code 90d,200GB}; empty if the text is invalid. */
    public static Optional<Retention> parse(String text) {
        var age = Optional.<Duration>empty();
        var bytes = Optional.<Long>empty();
        for (var part : text.split(",", -1)) {
            var isSize = part.strip().toLowerCase(Locale.ROOT).endsWith("b");
            if (isSize && bytes.isEmpty()) {
                bytes = Quantities.size(part).filter(size -> size > 0);
                if (bytes.isEmpty()) {
                    return Optional.empty();
                }
            } else if (!isSize && age.isEmpty()) {
                age = Quantities.duration(part);
                if (age.isEmpty()) {
                    return Optional.empty();
                }
            } else {
                return Optional.empty();
            }
        }
        return Optional.of(new Retention(age, bytes.orElse(Long.MAX_VALUE)));
    }
}
