package dev.orbweaver.frontier.redis;

import java.time.Instant;

/**
 * A worker of a fleet as it last showed itself.
 *
 * @param doing in its own words
 */
public record Worker(String name, Instant seen, String doing) {

    static Worker of(String name, String sign) {
        var space = sign.indexOf(' ');
        return new Worker(
                name,
                Instant.ofEpochMilli(Long.parseLong(sign, 0, space, 10)),
                sign.substring(space + 1));
    }
}
