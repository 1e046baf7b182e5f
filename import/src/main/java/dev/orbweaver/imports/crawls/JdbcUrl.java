package dev.orbweaver.imports.crawls;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.imports.SourceException;

import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;

/**
 * A JDBC URL of PostgreSQL, split into what can be shown and what cannot.
 *
 * @param database the URL without parameters
 * @param parameters the other parameters, with their question mark
 * @param secrets user and password
 */
record JdbcUrl(String database, String parameters, Properties secrets) {

    private static final String PREFIX = "jdbc:postgresql:";
    private static final String REFERENCE = "env:";
    private static final String EXPECTED =
            "expected for example jdbc:postgresql://localhost:5432/crawler?user=crawler";

    /**
     * Parses a URL. The password is its parameter {@code password=env:NAME}, or the variable
     * PGPASSWORD; the user its parameter {@code user}, or PGUSER.
     */
    static JdbcUrl parse(String text, Function<String, Optional<String>> environment)
            throws SourceException {
        if (!text.startsWith(PREFIX)) {
            throw new SourceException(
                    "the value of --jdbc does not begin with %s; %s".formatted(PREFIX, EXPECTED));
        }
        var question = text.indexOf('?');
        var database = question < 0 ? text : text.substring(0, question);
        if (database.indexOf('@') >= 0) {
            throw new SourceException(
                    "the value of --jdbc has a user before the host; " + EXPECTED);
        }
        var secrets = new Properties();
        environment.apply("PGUSER").ifPresent(user -> secrets.setProperty("user", user));
        environment.apply("PGPASSWORD").ifPresent(word -> secrets.setProperty("password", word));
        var others = new ArrayList<String>();
        for (var parameter :
                text.substring(database.length()).replaceFirst("^\\?", "").split("&", -1)) {
            var equals = parameter.indexOf('=');
            var name = equals < 0 ? parameter : parameter.substring(0, equals);
            var value = URLDecoder.decode(parameter.substring(equals + 1), UTF_8);
            switch (name) {
                case "user" -> secrets.setProperty(name, value);
                case "password" -> secrets.setProperty(name, resolve(value, environment));
                case "" -> {}
                default -> others.add(parameter);
            }
        }
        return new JdbcUrl(
                database, others.isEmpty() ? "" : "?" + String.join("&", others), secrets);
    }

    private static String resolve(String value, Function<String, Optional<String>> environment)
            throws SourceException {
        if (!value.startsWith(REFERENCE)) {
            return value;
        }
        var name = value.substring(REFERENCE.length());
        return environment
                .apply(name)
                .orElseThrow(
                        () ->
                                new SourceException(
                                        "the environment variable %s, which the password of --jdbc refers to, is not set"
                                                .formatted(name)));
    }

    /** Returns the URL without user and password. */
    String publicUrl() {
        return database + parameters;
    }

    @Override
    public String toString() {
        return publicUrl();
    }
}
