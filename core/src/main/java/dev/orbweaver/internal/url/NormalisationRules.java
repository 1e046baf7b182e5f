package dev.orbweaver.internal.url;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Applies the rules of {@link Normalisation} that are off by default to a normal form as text. */
final class NormalisationRules {

    private static final String PATH_SESSION = ";jsessionid=";

    private final Normalisation settings;
    private final Set<String> ignoredNames = new HashSet<>();
    private final List<String> ignoredPrefixes = new ArrayList<>();

    NormalisationRules(Normalisation settings) {
        this.settings = settings;
        ignore(settings.ignoreParameters());
        if (settings.ignoreTracking()) {
            ignore(Normalisation.TRACKING_PARAMETERS);
        }
        if (settings.ignoreSessions()) {
            ignore(Normalisation.SESSION_PARAMETERS);
        }
    }

    private void ignore(Set<String> names) {
        for (var name : names) {
            var lower = Ascii.lowerCase(name);
            if (lower.endsWith("*")) {
                ignoredPrefixes.add(lower.substring(0, lower.length() - 1));
            } else {
                ignoredNames.add(lower);
            }
        }
    }

    String apply(String normalForm, int pathStart) {
        var mark = normalForm.indexOf('?', pathStart);
        var pathEnd = mark < 0 ? normalForm.length() : mark;
        var query = mark < 0 ? "" : query(normalForm.substring(mark + 1));
        var path = path(normalForm.substring(pathStart, pathEnd));
        return normalForm.substring(0, pathStart) + path + (query.isEmpty() ? "" : "?" + query);
    }

    private String path(String path) {
        var result = settings.ignoreSessions() ? withoutSessions(path) : path;
        var lastSegment = result.lastIndexOf('/') + 1;
        if (settings.ignoreIndexFile()
                && Normalisation.INDEX_FILES.contains(result.substring(lastSegment))) {
            result = result.substring(0, lastSegment);
        }
        if (settings.ignoreTrailingSlash() && result.length() > 1 && result.endsWith("/")) {
            result = result.substring(0, result.length() - 1);
        }
        return result;
    }

    /** Removes servlet sessions, which end at the next path parameter or segment. */
    private static String withoutSessions(String path) {
        var lower = Ascii.lowerCase(path);
        var at = lower.indexOf(PATH_SESSION);
        if (at < 0) {
            return path;
        }
        var out = new StringBuilder(path.length());
        var kept = 0;
        while (at >= 0) {
            out.append(path, kept, at);
            kept = at + PATH_SESSION.length();
            while (kept < path.length() && path.charAt(kept) != '/' && path.charAt(kept) != ';') {
                kept++;
            }
            at = lower.indexOf(PATH_SESSION, kept);
        }
        return out.append(path, kept, path.length()).toString();
    }

    private String query(String query) {
        if (ignoredNames.isEmpty() && ignoredPrefixes.isEmpty() && !settings.sortQuery()) {
            return query;
        }
        var parameters = new ArrayList<String>();
        for (var start = 0; start <= query.length(); ) {
            var and = query.indexOf('&', start);
            var end = and < 0 ? query.length() : and;
            var parameter = query.substring(start, end);
            if (!isIgnored(parameter) && !(settings.sortQuery() && parameter.isEmpty())) {
                parameters.add(parameter);
            }
            start = end + 1;
        }
        if (settings.sortQuery()) {
            parameters.sort(null);
        }
        return String.join("&", parameters);
    }

    private boolean isIgnored(String parameter) {
        var equals = parameter.indexOf('=');
        var name = Ascii.lowerCase(equals < 0 ? parameter : parameter.substring(0, equals));
        return ignoredNames.contains(name) || ignoredPrefixes.stream().anyMatch(name::startsWith);
    }
}
