package dev.orbweaver.server;

import dev.orbweaver.server.TokenFile.Token;

import io.javalin.http.Context;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Authenticates and rate-limits callers.
 *
 * <p>Without tokens every process on this machine may call, and no other: the server is bound to
 * loopback, and requests of other sites in the user's browser are detected by headers that scripts
 * cannot forge. DNS rebinding (an attacker's name that resolves to 127.0.0.1) is detected by the
 * Host header; a form or script of another origin by Origin and Sec-Fetch-Site.
 *
 * <p>With tokens each call needs one in the Authorization header, or the cookie of a session that
 * was opened with one. The cookie is SameSite, and only hashes of tokens are kept.
 */
final class AccessControl {

    static final String COOKIE = "orbweaver-session";

    private static final String CALLER = "caller";
    private static final String TOKEN = "token";
    private static final String SIGNED_IN = "signed-in";
    private static final int SESSIONS_MAX = 1_000;
    private static final int SESSION_BYTES = 32;
    private static final Duration SESSION_TTL = Duration.ofDays(7);
    private static final String BEARER = "Bearer ";

    enum Access {
        /** No token required. */
        OPEN,
        /** A token of any role is required if tokens are configured. */
        TOKEN,
        /** A token of the role operator or admin is required if tokens are configured. */
        OPERATOR,
        /** A token of the role admin is required if tokens are configured. */
        ADMIN,
        /** The dashboard's files: no token required; links from other sites are allowed. */
        LINKED;

        boolean needsToken() {
            return this == TOKEN || this == OPERATOR || this == ADMIN;
        }

        private Role role() {
            return switch (this) {
                case OPEN, LINKED, TOKEN -> Role.VIEWER;
                case OPERATOR -> Role.OPERATOR;
                case ADMIN -> Role.ADMIN;
            };
        }
    }

    /** What everyone may use if there are no tokens. */
    private static final Token LOCAL = new Token("local", "", Role.ADMIN, TokenFile.Quotas.NONE);

    private final ApiTokens apiTokens;
    private final RateLimiter rateLimiter;
    private final RateLimiter failedTokenLimiter;
    private final RateLimiter signInLimiter;
    private final SecureRandom random = new SecureRandom();
    private final InstantSource clock;

    /** The hash of a session's token, and its expiry, which the server enforces. */
    private record Session(String tokenHash, Instant expiresAt) {}

    private final Map<String, Session> sessions =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Session> eldest) {
                    return size() > SESSIONS_MAX;
                }
            };

    AccessControl(ApiTokens apiTokens, double callsPerSecond, InstantSource clock) {
        this(apiTokens, callsPerSecond, clock, System::nanoTime);
    }

    /**
     * @param nanos a monotonic clock
     */
    AccessControl(
            ApiTokens apiTokens, double callsPerSecond, InstantSource clock, LongSupplier nanos) {
        this.apiTokens = apiTokens;
        this.clock = clock;
        this.rateLimiter = new RateLimiter(Math.max(1, 4 * callsPerSecond), callsPerSecond, nanos);
        this.failedTokenLimiter = new RateLimiter(20, 1, nanos);
        this.signInLimiter = new RateLimiter(10, 0.2, nanos);
    }

    /** Checks a call; throws a problem if it is not allowed. */
    void check(Context context, Access access) {
        var host = Optional.ofNullable(context.header("Host")).orElse("");
        if (!apiTokens.required() && !isLoopback(host)) {
            throw ProblemException.of(
                    ProblemException.MISDIRECTED,
                    "Host must be localhost or a loopback address, not '" + host + "'.");
        }
        refuseOtherOrigins(context, host, access);
        var caller = caller(context);
        context.attribute(SIGNED_IN, caller.isPresent());
        caller.ifPresent(token -> context.attribute(TOKEN, token));
        if (access.needsToken() && caller.isEmpty()) {
            throw ProblemException.of(
                    ProblemException.UNAUTHORISED,
                    "A token is required; send the header 'Authorization: Bearer TOKEN'.");
        }
        var name = caller.map(Token::name).orElse(context.ip());
        if (!rateLimiter.tryAcquire(name)) {
            throw ProblemException.of(
                    ProblemException.TOO_MANY_REQUESTS,
                    "Rate limit exceeded; retry after a second.");
        }
        context.attribute(CALLER, name);
        var role = caller.map(Token::role).orElse(Role.VIEWER);
        if (!role.includes(access.role())) {
            throw ProblemException.of(
                    ProblemException.FORBIDDEN,
                    "A token with the role %s may not do this; use one with the role %s."
                            .formatted(role.id(), access.role().id()));
        }
    }

    /** Returns the token of an allowed call; without tokens one that may do everything. */
    static Token token(ApiCall apiCall) {
        return token(apiCall.context()).orElse(LOCAL);
    }

    /** Returns the token of a call, if it had one. */
    static Optional<Token> token(Context context) {
        return Optional.ofNullable(context.attribute(TOKEN));
    }

    /** Returns whether the token or session of a call that was allowed is still valid. */
    boolean isStillValid(ApiCall apiCall) {
        if (!apiTokens.required()) {
            return true;
        }
        return apiCall.header("Authorization").isPresent()
                ? token(apiCall.context()).flatMap(it -> apiTokens.byHash(it.hash())).isPresent()
                : Optional.ofNullable(apiCall.context().cookie(COOKIE))
                        .flatMap(this::session)
                        .isPresent();
    }

    /** Returns whether a call has sent a token, or opens a session. */
    static boolean isKnownAttempt(Context context) {
        return context.header("Authorization") != null
                || context.cookie(COOKIE) != null
                || context.path().equals(Routes.API + "/session");
    }

    /** Returns the name of the token of an allowed call; empty if there are no tokens. */
    static Optional<String> tokenName(ApiCall apiCall) {
        return Optional.of(token(apiCall)).filter(token -> !token.equals(LOCAL)).map(Token::name);
    }

    private static boolean isLoopback(String hostAndPort) {
        var host = hostAndPort.toLowerCase(Locale.ROOT).replaceFirst(":\\d+$", "");
        if (host.equals("localhost") || host.endsWith(".localhost")) {
            return true;
        }
        var literal = host.replaceAll("^\\[|]$", "");
        if (!literal.matches("[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*")) {
            return false;
        }
        try {
            return InetAddress.ofLiteral(literal).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Rejects requests of other sites. Such a page cannot read a response, but it can measure its
     * duration or whether it loads, and an export takes a permit.
     */
    private static void refuseOtherOrigins(Context context, String host, Access access) {
        var origin = Optional.ofNullable(context.header("Origin"));
        var own =
                origin.isEmpty()
                        || origin.get().equals("http://" + host)
                        || origin.get().equals("https://" + host);
        var site = Optional.ofNullable(context.header("Sec-Fetch-Site")).orElse("none");
        var reading =
                context.method().name().equals("GET") || context.method().name().equals("HEAD");
        if (!own || (site.equals("cross-site") && !(reading && access == Access.LINKED))) {
            throw ProblemException.of(
                    ProblemException.FORBIDDEN,
                    "Cross-site requests are not allowed; this request came from "
                            + origin.orElse("another site")
                            + ".");
        }
    }

    /** Returns the call's token; without tokens all callers are the same. */
    private Optional<Token> caller(Context context) {
        if (!apiTokens.required()) {
            return Optional.of(LOCAL);
        }
        var header = Optional.ofNullable(context.header("Authorization")).orElse("");
        if (header.startsWith(BEARER)) {
            return token(context.ip(), header.substring(BEARER.length()).strip());
        }
        return Optional.ofNullable(context.cookie(COOKIE)).flatMap(this::session);
    }

    /**
     * Returns a token. The limit of wrong tokens per address is checked before the comparison.
     * Otherwise guessing could continue at any rate, because the right token would still be
     * accepted. The lock prevents concurrent guesses from sharing the last permit.
     */
    synchronized Optional<Token> token(String address, String given) {
        var source = rateLimitKey(address);
        if (!failedTokenLimiter.hasToken(source)) {
            throw ProblemException.of(
                    ProblemException.TOO_MANY_REQUESTS,
                    "Too many wrong tokens from this address; retry after a second.");
        }
        var token = apiTokens.find(given);
        if (token.isEmpty()) {
            var _ = failedTokenLimiter.tryAcquire(source);
        }
        return token;
    }

    /** Truncates IPv6 addresses to their /64 network: one machine can use all of its addresses. */
    static String rateLimitKey(String address) {
        try {
            var bytes = InetAddress.ofLiteral(address.replaceAll("^\\[|]$", "")).getAddress();
            return bytes.length == 4 ? address : HexFormat.of().formatHex(bytes, 0, 8);
        } catch (IllegalArgumentException e) {
            return address; // Not an IP address, for example of a Unix socket.
        }
    }

    /** Returns the token of a session that has not expired, unless it was revoked. */
    synchronized Optional<Token> session(String id) {
        var now = clock.instant();
        return Optional.ofNullable(sessions.get(id))
                .filter(session -> now.isBefore(session.expiresAt))
                .flatMap(session -> apiTokens.byHash(session.tokenHash));
    }

    synchronized String openSession(Token token) {
        var bytes = new byte[SESSION_BYTES];
        random.nextBytes(bytes);
        var id = HexFormat.of().formatHex(bytes);
        var now = clock.instant();
        sessions.values().removeIf(session -> !now.isBefore(session.expiresAt));
        sessions.put(id, new Session(token.hash(), now.plus(SESSION_TTL)));
        return id;
    }

    /** Returns the caller of an allowed call. */
    static String caller(ApiCall apiCall) {
        String name = apiCall.context().attribute(CALLER);
        return name == null ? "" : name;
    }

    /**
     * @param role of the caller; empty if it is not signed in
     */
    private record SessionJson(boolean tokenRequired, boolean signedIn, Optional<String> role) {}

    void session(ApiCall apiCall) {
        apiCall.json(
                new SessionJson(
                        apiTokens.required(),
                        Boolean.TRUE.equals(apiCall.context().attribute(SIGNED_IN)),
                        token(apiCall.context()).map(token -> token.role().id())));
    }

    void signIn(ApiCall apiCall) throws Exception {
        var context = apiCall.context();
        if (!signInLimiter.tryAcquire(rateLimitKey(context.ip()))) {
            throw ProblemException.tooMany(
                    signInLimiter.delay(rateLimitKey(context.ip()), 1),
                    "Too many sign-in attempts; retry after a minute.");
        }
        var token = apiTokens.find(apiCall.body().path("token").asString(""));
        if (token.isEmpty()) {
            throw ProblemException.inField(
                    ProblemException.UNAUTHORISED, "token", "Invalid token.");
        }
        apiCall.context().attribute(TOKEN, token.get()); // For the audit log.
        var id = openSession(token.get());
        // Behind a proxy that terminates TLS the call arrives as http; Origin has the scheme.
        var overTls =
                context.req().isSecure()
                        || apiCall.header("Origin").orElse("").startsWith("https://");
        var secure = overTls ? "; Secure" : "";
        context.header(
                "Set-Cookie",
                "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s"
                        .formatted(COOKIE, id, SESSION_TTL.toSeconds(), secure));
        context.status(204);
    }

    void signOut(ApiCall apiCall) {
        var id = apiCall.context().cookie(COOKIE);
        if (id != null) {
            synchronized (this) {
                sessions.remove(id);
            }
        }
        apiCall.context()
                .header("Set-Cookie", COOKIE + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
                .status(204);
    }

    static boolean isLoopbackAddress(String address) throws UnknownHostException {
        return InetAddress.getByName(address).isLoopbackAddress();
    }
}
