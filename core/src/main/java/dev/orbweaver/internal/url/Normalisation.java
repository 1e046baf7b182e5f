package dev.orbweaver.internal.url;

import java.util.Set;

/**
 * Which differences between URLs a crawl ignores when it checks whether it has seen one.
 *
 * <p>The normal form is only a key; the URL is fetched as found. Always ignored are fragment,
 * credentials, a default port, dot segments, escapes of unreserved characters, the case of an
 * escape's digits, an escaped or unescaped {@code %} that starts no escape, an empty query, and
 * runs of slashes in the path. Never ignored are the scheme and the case of path and query. The
 * rules below are guesses about servers, so each is off by default.
 *
 * @param sortQuery whether the order of query parameters is ignored; empty ones are removed
 * @param ignoreTracking whether {@link #TRACKING_PARAMETERS} are removed from the query
 * @param ignoreSessions whether {@link #SESSION_PARAMETERS} are removed from the query, and {@code
 *     ;jsessionid=} from the path
 * @param ignoreParameters further query parameters to remove: names ignoring ASCII case, with an
 *     optional final {@code *} as a wildcard
 * @param ignoreTrailingSlash whether {@code /a/} equals {@code /a}
 * @param ignoreIndexFile whether {@code /a/index.html} equals {@code /a/}, for all of {@link
 *     #INDEX_FILES}
 */
public record Normalisation(
        boolean sortQuery,
        boolean ignoreTracking,
        boolean ignoreSessions,
        Set<String> ignoreParameters,
        boolean ignoreTrailingSlash,
        boolean ignoreIndexFile) {

    public static final Normalisation DEFAULT =
            new Normalisation(false, false, false, Set.of(), false, false);

    /** Parameters that advertisers and mailers add to track readers. */
    public static final Set<String> TRACKING_PARAMETERS =
            Set.of(
                    "utm_*",
                    "gclid",
                    "gclsrc",
                    "dclid",
                    "gbraid",
                    "wbraid",
                    "fbclid",
                    "msclkid",
                    "twclid",
                    "ttclid",
                    "yclid",
                    "igshid",
                    "li_fat_id",
                    "mc_cid",
                    "mc_eid",
                    "_ga",
                    "_gl",
                    "_hsenc",
                    "_hsmi",
                    "mkt_tok",
                    "vero_id",
                    "oly_anon_id",
                    "oly_enc_id",
                    "srsltid",
                    "epik",
                    "s_cid");

    /** Parameters that contain a visitor's session. */
    public static final Set<String> SESSION_PARAMETERS =
            Set.of(
                    "jsessionid",
                    "phpsessid",
                    "sid",
                    "sessionid",
                    "session_id",
                    "sessid",
                    "aspsessionid*",
                    "cfid",
                    "cftoken",
                    "osCsid",
                    "zenid");

    /** File names that servers use for the index of a directory. */
    public static final Set<String> INDEX_FILES =
            Set.of(
                    "index.html",
                    "index.htm",
                    "index.xhtml",
                    "index.shtml",
                    "index.php",
                    "index.jsp",
                    "index.asp",
                    "index.aspx",
                    "default.htm",
                    "default.html",
                    "default.asp",
                    "default.aspx");

    public Normalisation {
        ignoreParameters = Set.copyOf(ignoreParameters);
    }

    /** Returns whether any optional rule is on. */
    boolean hasOptionalRules() {
        return sortQuery
                || ignoreTracking
                || ignoreSessions
                || !ignoreParameters.isEmpty()
                || ignoreTrailingSlash
                || ignoreIndexFile;
    }
}
