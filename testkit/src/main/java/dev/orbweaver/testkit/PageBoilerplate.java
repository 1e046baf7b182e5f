package dev.orbweaver.testkit;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Parts of a page that change without its text.
 *
 * @param footer a date, other on each day
 * @param menu an entry of the navigation, other in each month
 * @param nonce of a script, other in each response; empty if it has none
 */
record PageBoilerplate(String footer, String menu, String nonce) {

    static final PageBoilerplate NONE = new PageBoilerplate("", "", "");

    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("d MMMM yyyy", Locale.ENGLISH).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MONTH =
            DateTimeFormatter.ofPattern("MMMM yyyy", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    static PageBoilerplate of(Instant now, String nonce) {
        return new PageBoilerplate(DAY.format(now), MONTH.format(now), nonce);
    }
}
