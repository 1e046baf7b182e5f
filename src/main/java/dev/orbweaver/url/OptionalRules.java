package dev.orbweaver.url;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The rules of {@link Normalisation} that are off by default, over a normal form as text. */
final class OptionalRules {

    private static final String PATH_SESSION = ";jsessionid=";

    private final Normalisation settings;
    private final Set<String> droppedNames = new HashSet<>();
    private final List<String> droppedPrefixes = new ArrayList<>();

    OptionalRules(Normalisation settings) {
        this.settings = settings;
        drop(settings.dropParameters());
        if (settings.dropTracking()) {
            drop(Normalisation.TRACKING_PARAMETERS);
        }
        if (settings.dropSessions()) {
            drop(Normalisation.SESSION_PARAMETERS);
        }
    }

    private void drop(Set<String> names) {
        for (var name : names) {
            var lower = Ascii.lowerCase(name);
            if (lower.endsWith("*")) {
                droppedPrefixes.add(lower.substring(0, lower.length() - 1));
            } else {
                droppedNames.add(lower);
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
        var result = settings.dropSessions() ? withoutSessions(path) : path;
        var lastSegment = result.lastIndexOf('/') + 1;
        if (settings.dropIndexFile()
                && Normalisation.INDEX_FILES.contains(result.substring(lastSegment))) {
            result = result.substring(0, lastSegment);
        }
        if (settings.dropTrailingSlash() && result.length() > 1 && result.endsWith("/")) {
            result = result.substring(0, result.length() - 1);
        }
        return result;
    }

    /** The servlet session ends at the next path parameter or segment. */
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
        if (droppedNames.isEmpty() && droppedPrefixes.isEmpty() && !settings.sortQuery()) {
            return query;
        }
        var parameters = new ArrayList<String>();
        for (var start = 0; start <= query.length(); ) {
            var and = query.indexOf('&', start);
            var end = and < 0 ? query.length() : and;
            var parameter = query.substring(start, end);
            if (!isDropped(parameter) && !(settings.sortQuery() && parameter.isEmpty())) {
                parameters.add(parameter);
            }
            start = end + 1;
        }
        if (settings.sortQuery()) {
            parameters.sort(null);
        }
        return String.join("&", parameters);
    }

    private boolean isDropped(String parameter) {
        var equals = parameter.indexOf('=');
        var name = Ascii.lowerCase(equals < 0 ? parameter : parameter.substring(0, equals));
        return droppedNames.contains(name) || droppedPrefixes.stream().anyMatch(name::startsWith);
    }
}
