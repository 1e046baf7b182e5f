package dev.orbweaver.internal.url;

import java.util.Set;

/**
 * Which differences between URLs a crawl overlooks when it asks whether it has seen one.
 *
 * <p>The normal form is a key only; what is fetched is the URL as found. Always overlooked are
 * fragment, credentials, a default port, dot segments, escapes of unreserved characters, the case
 * of an escape's digits, an escaped or bare {@code %} before what is no escape, an empty query, and
 * runs of slashes in the path. Never overlooked are the scheme and the case of path and query. The
 * rules named here guess at what servers mean, so each is off until asked for.
 *
 * @param sortQuery whether the order of query parameters counts for nothing; empty ones are dropped
 * @param ignoreTracking whether {@link #TRACKING_PARAMETERS} are dropped from the query
 * @param ignoreSessions whether {@link #SESSION_PARAMETERS} are dropped from the query, and {@code
 *     ;jsessionid=} from the path
 * @param ignoreParameters further query parameters to drop: names without regard to ASCII case, a
 *     final {@code *} standing for any rest
 * @param ignoreTrailingSlash whether {@code /a/} is {@code /a}
 * @param ignoreIndexFile whether {@code /a/index.html} is {@code /a/}, for all of {@link
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

    /** Parameters that advertisers and mailers add to follow a reader around. */
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

    /** Parameters that carry a visitor's session. */
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

    /** Names under which servers serve a directory. */
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

    /** Whether any rule beyond those always in force is on. */
    boolean hasOptionalRules() {
        return sortQuery
                || ignoreTracking
                || ignoreSessions
                || !ignoreParameters.isEmpty()
                || ignoreTrailingSlash
                || ignoreIndexFile;
    }
}
