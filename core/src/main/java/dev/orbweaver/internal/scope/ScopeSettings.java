package dev.orbweaver.internal.scope;

import com.google.re2j.Pattern;

import dev.orbweaver.model.ScopeType;

import java.util.List;
import java.util.Set;

/**
 * The rules of a scope.
 *
 * @param include if not empty, a link must match one of these
 * @param exclude a link must match none of these
 * @param depthMax maximum number of links from a seed
 * @param skipExtensions extensions of paths that are not documents
 * @param requisites whether resources needed to render pages are fetched
 * @param skipTypes media types that are not read, such as {@code text/css} or {@code video/*}
 * @param contentLengthMax responses with a larger Content-Length are not read
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
