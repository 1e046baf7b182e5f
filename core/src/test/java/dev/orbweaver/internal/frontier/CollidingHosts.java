package dev.orbweaver.internal.frontier;

import java.util.ArrayList;
import java.util.List;

/**
 * Host names with equal {@link String#hashCode}, which anyone can create: the pairs {@code an} and
 * {@code c0} have the same hash code (31·97 + 110 = 31·99 + 48), so every string of the same number
 * of such pairs has.
 */
public final class CollidingHosts {

    private CollidingHosts() {}

    /** Returns 2 to the power of {@code pairs} names. */
    public static List<String> names(int pairs) {
        var names = new ArrayList<String>(1 << pairs);
        for (var bits = 0; bits < 1 << pairs; bits++) {
            var name = new StringBuilder(2 * pairs + 5);
            for (var pair = 0; pair < pairs; pair++) {
                name.append(((bits >> pair) & 1) == 0 ? "an" : "c0");
            }
            names.add(name.append(".test").toString());
        }
        return names;
    }
}
