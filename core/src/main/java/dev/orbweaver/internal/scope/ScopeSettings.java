package dev.orbweaver.internal.scope;

import com.google.re2j.Pattern;

import java.util.List;
import java.util.Set;

/**
 * The rules of a scope.
 *
 * @param include when not empty, a link must match one of these
 * @param exclude a link must match none of these
 * @param depthMax how many links away from a seed
 * @param skipExtensions endings of paths that are not documents
 * @param requisites whether to take what pages need to be shown
 * @param skipTypes media types that are not read, such as {@code text/css} or {@code video/*}
 * @param contentLengthMax responses that say they are longer are not read
 */
public record ScopeSettings(
        ScopeType scopeType,
        List<Pattern> include,
        List<Pattern> exclude,
        int depthMax,
        Set<String> skipExtensions,
        boolean requisites,
        Set<String> skipTypes,
        long contentLengthMax) {

    public ScopeSettings {
        include = List.copyOf(include);
        exclude = List.copyOf(exclude);
        skipExtensions = Set.copyOf(skipExtensions);
        skipTypes = Set.copyOf(skipTypes);
    }
}
