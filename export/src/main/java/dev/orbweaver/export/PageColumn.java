package dev.orbweaver.export;

import dev.orbweaver.internal.archive.StoredPage;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A column of a page log line, in the order of CSV, JSON lines, Parquet and SQL. Values have the
 * Java type of the column's {@link Type}.
 */
enum PageColumn {
    URL(Type.TEXT, StoredPage::url),
    HOST(Type.TEXT, StoredPage::host),
    PATH(Type.TEXT, StoredPage::path),
    KIND(Type.TEXT, page -> page.kind().name().toLowerCase(Locale.ROOT)),
    STATUS(Type.INT, StoredPage::status),
    TIME(Type.TIME, StoredPage::time),
    MS(Type.LONG, StoredPage::milliseconds),
    DEPTH(Type.INT, StoredPage::depth),
    PARENT(Type.LONG, StoredPage::parent),
    RETRIES(Type.INT, StoredPage::retries),
    TYPE(Type.TEXT, StoredPage::mediaType),
    CHARSET(Type.TEXT, StoredPage::charset),
    TITLE(Type.TEXT, StoredPage::title),
    LINKS(Type.INT, StoredPage::links),
    BYTES(Type.LONG, StoredPage::bytes),
    DIGEST(Type.TEXT, StoredPage::digest),
    LOCATION(Type.TEXT, StoredPage::location),
    CAUSE(Type.TEXT, StoredPage::cause),
    DETAIL(Type.TEXT, StoredPage::detail),
    WARC(Type.TEXT, StoredPage::warc),
    OFFSET(Type.LONG, StoredPage::offset),
    LENGTH(Type.LONG, StoredPage::length),
    SEQ(Type.LONG, StoredPage::seq),
    /** The fields of extractors as a JSON object; an empty text if there are none. */
    FIELDS(Type.JSON, StoredPage::fields);

    enum Type {
        TEXT("VARCHAR"),
        INT("INTEGER"),
        LONG("BIGINT"),
        /** An instant; in SQL a timestamp in UTC. */
        TIME("TIMESTAMP"),
        JSON("JSON");

        private final String sql;

        Type(String sql) {
            this.sql = sql;
        }

        String sql() {
            return sql;
        }
    }

    private final Type type;

    @SuppressWarnings("ImmutableEnumChecker") // A method reference, without state.
    private final Function<StoredPage, Object> value;

    PageColumn(Type type, Function<StoredPage, Object> value) {
        this.type = type;
        this.value = value;
    }

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    Type type() {
        return type;
    }

    Object of(StoredPage page) {
        return value.apply(page);
    }

    /** Returns whether a line has no value: no response, no parent, or nothing stored. */
    boolean isMissing(StoredPage page) {
        return switch (this) {
            case STATUS, PARENT -> ((Number) of(page)).longValue() == 0;
            case OFFSET, LENGTH -> !page.isStored();
            default -> of(page) instanceof String text && text.isEmpty();
        };
    }

    static String[] ids() {
        return Arrays.stream(values()).map(PageColumn::id).toArray(String[]::new);
    }

    /** Returns the names for a SELECT; some are keywords of SQL. */
    static String sqlNames() {
        return Arrays.stream(values())
                .map(column -> '"' + column.id() + '"')
                .collect(Collectors.joining(", "));
    }

    /** Returns names and types for a CREATE TABLE. */
    static String sqlDefinitions() {
        return Arrays.stream(values())
                .map(column -> '"' + column.id() + "\" " + column.type.sql)
                .collect(Collectors.joining(", "));
    }
}
