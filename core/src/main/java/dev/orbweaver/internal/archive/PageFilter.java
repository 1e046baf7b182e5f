package dev.orbweaver.internal.archive;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Selects URLs by host, by path prefix and by media type. An empty list accepts every host, path or
 * media type.
 *
 * @param mediaTypes such as {@code application/pdf} or {@code image/*}, in lower case
 */
public record PageFilter(List<String> hosts, List<String> paths, List<String> mediaTypes) {

    public static final PageFilter ALL = new PageFilter(List.of(), List.of());

    private static final String NAME_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+";

    public PageFilter {
        hosts = List.copyOf(hosts);
        paths = List.copyOf(paths);
        mediaTypes = List.copyOf(mediaTypes);
    }

    public PageFilter(List<String> hosts, List<String> paths) {
        this(hosts, paths, List.of());
    }

    /**
     * Parses a media type for this filter, such as {@code application/pdf} or {@code image/*}.
     *
     * @return the type in lower case; empty if it is not one (RFC 6838, section 4.2)
     */
    public static Optional<String> mediaType(String text) {
        var type = text.strip().toLowerCase(Locale.ROOT);
        var slash = type.indexOf('/');
        return slash > 0
                        && isName(type.substring(0, slash))
                        && (type.endsWith("/*") || isName(type.substring(slash + 1)))
                ? Optional.of(type)
                : Optional.empty();
    }

    private static boolean isName(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> NAME_CHARS.indexOf(c) >= 0);
    }

    boolean accepts(StoredPage page) {
        return (hosts.isEmpty() || hosts.contains(page.host()))
                && (paths.isEmpty() || paths.stream().anyMatch(page.path()::startsWith))
                && (mediaTypes.isEmpty()
                        || mediaTypes.stream().anyMatch(type -> isOfType(page, type)));
    }

    private static boolean isOfType(StoredPage page, String type) {
        return type.endsWith("/*")
                ? page.mediaType().startsWith(type.substring(0, type.length() - 1))
                : page.mediaType().equals(type);
    }
}
