package dev.orbweaver.imports.crawls;

import dev.orbweaver.imports.SourceException;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The names of tables and columns in a database, where they differ from the usual ones.
 *
 * @param tables names in the database by table, such as {@code visited}
 * @param columns names in the database by table and column, such as {@code visited.url}
 */
public record PostgresNames(Map<String, String> tables, Map<String, String> columns) {

    static final String VISITED = "visited";
    static final String FRONTIER = "frontier";
    static final String HOSTS = "hosts";

    private static final Map<String, String> TABLES =
            Map.of(VISITED, "visited_urls", FRONTIER, "frontier", HOSTS, "domain_metadata");

    /** The columns that are read; the first of each table is required. */
    private static final Map<String, List<String>> COLUMNS =
            Map.of(
                    VISITED, List.of("url"),
                    FRONTIER, List.of("url", "depth", "priority_score"),
                    HOSTS,
                            List.of(
                                    "domain",
                                    "robots_txt_content",
                                    "robots_txt_expires_timestamp",
                                    "is_manually_excluded",
                                    "last_scheduled_fetch_timestamp"));

    public PostgresNames {
        tables = Map.copyOf(tables);
        columns = Map.copyOf(columns);
    }

    /**
     * Parses what a user wrote.
     *
     * @param tables such as {@code visited=public.pages}
     * @param columns such as {@code visited.url=address}
     */
    public static PostgresNames parse(List<String> tables, List<String> columns)
            throws SourceException {
        var names = new TreeSet<String>();
        COLUMNS.forEach((table, all) -> all.forEach(column -> names.add(table + "." + column)));
        return new PostgresNames(
                pairs(tables, "--table", new TreeSet<>(TABLES.keySet()), "visited=visited_urls"),
                pairs(columns, "--column", names, "visited.url=address"));
    }

    private static Map<String, String> pairs(
            List<String> texts, String option, Set<String> known, String example)
            throws SourceException {
        var pairs = new LinkedHashMap<String, String>();
        for (var text : texts) {
            var equals = text.indexOf('=');
            if (equals < 0 || equals == text.length() - 1) {
                throw new SourceException(
                        "'%s' is not valid for %s; expected for example %s"
                                .formatted(text, option, example));
            }
            var name = text.substring(0, equals);
            if (!known.contains(name)) {
                throw new SourceException(
                        "unknown name '%s' in %s; expected one of %s"
                                .formatted(name, option, String.join(", ", known)));
            }
            pairs.put(name, text.substring(equals + 1));
        }
        return pairs;
    }

    String table(String table) {
        return tables.getOrDefault(table, TABLES.getOrDefault(table, table));
    }

    boolean isTableGiven(String table) {
        return tables.containsKey(table);
    }

    static List<String> columns(String table) {
        return COLUMNS.getOrDefault(table, List.of());
    }

    String column(String table, String column) {
        return columns.getOrDefault(table + "." + column, column);
    }

    boolean isColumnGiven(String table, String column) {
        return columns.containsKey(table + "." + column);
    }

    /** Returns all names, to recognise the same import. */
    String describe() {
        return "tables "
                + String.join(", ", List.of(table(VISITED), table(FRONTIER), table(HOSTS)))
                + (columns.isEmpty() ? "" : ", columns " + new TreeMap<>(columns));
    }
}
