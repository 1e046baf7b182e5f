package dev.orbweaver.imports.crawls;

import dev.orbweaver.imports.SourceException;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TimeZone;
import java.util.function.Function;

/**
 * Reads a crawl from the tables of a PostgreSQL database, in one read-only transaction: what other
 * processes change meanwhile is not seen. Rows are read through a server-side cursor in the order
 * of a unique key, so an interrupted import continues after the last key.
 */
public final class PostgresImporter implements CrawlImporter {

    private static final int FETCH_ROWS = 5_000;
    private static final int INTERRUPT_CHECK_ROWS = 10_000;

    /** Numbers above are milliseconds since 1970, others seconds. */
    private static final double EPOCH_MILLIS_FROM = 1e11;

    private final JdbcUrl url;
    private final PostgresNames names;
    private final double priorityScale;
    private final Connection connection;

    /** The tables that exist, by their names in the import. */
    private final Map<String, PostgresTable> tables = new LinkedHashMap<>();

    private PostgresImporter(
            JdbcUrl url, PostgresNames names, double priorityScale, Connection connection) {
        this.url = url;
        this.names = names;
        this.priorityScale = priorityScale;
        this.connection = connection;
    }

    /**
     * Connects to a database, and checks its tables and columns, so that a wrong name is reported
     * before any row is read.
     *
     * @param priorityScale points of priority for one unit of {@code priority_score}
     * @param environment returns the value of an environment variable
     */
    public static PostgresImporter open(
            String jdbc,
            PostgresNames names,
            double priorityScale,
            Function<String, Optional<String>> environment)
            throws IOException {
        var url = JdbcUrl.parse(jdbc, environment);
        Connection connection;
        try {
            connection = connect(url);
        } catch (SQLException e) {
            throw new SourceException("could not connect to %s: %s".formatted(url, firstLine(e)));
        }
        var importer = new PostgresImporter(url, names, priorityScale, connection);
        try {
            importer.findTables();
            return importer;
        } catch (IOException e) {
            importer.close();
            throw e;
        }
    }

    private void findTables() throws IOException {
        for (var name :
                List.of(PostgresNames.VISITED, PostgresNames.FRONTIER, PostgresNames.HOSTS)) {
            query(() -> PostgresTable.find(connection, names, name))
                    .ifPresent(table -> tables.put(name, table));
        }
        if (!tables.containsKey(PostgresNames.VISITED)
                && !tables.containsKey(PostgresNames.FRONTIER)) {
            throw new SourceException(
                    query(
                            () ->
                                    "%s has neither a table visited_urls nor a table frontier; it has %s; name them with --table visited=NAME and --table frontier=NAME"
                                            .formatted(url, PostgresTable.tables(connection))));
        }
    }

    private static Connection connect(JdbcUrl url) throws SQLException {
        var properties = new Properties();
        properties.putAll(url.secrets());
        properties.setProperty("ApplicationName", "orbweaver import");
        var connection = DriverManager.getConnection(url.publicUrl(), properties);
        try {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (var statement = connection.createStatement()) {
                // A table may take hours, and so may the load between two of them. All rows of a
                // cursor are read, so a plan that returns the first ones early is a slow one.
                statement.execute(
                        "SET LOCAL statement_timeout = 0;"
                                + " SET LOCAL idle_in_transaction_session_timeout = 0;"
                                + " SET LOCAL cursor_tuple_fraction = 1");
            }
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private static String firstLine(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("unknown error");
    }

    @Override
    public String source() {
        return "%s, %s, priority scale %s"
                .formatted(url.database(), names.describe(), priorityScale);
    }

    @Override
    public List<Part> parts() {
        var parts = new ArrayList<Part>();
        tables.forEach(
                (name, table) -> {
                    if (!name.equals(PostgresNames.HOSTS)) {
                        parts.add(new TablePart(name, table));
                    }
                });
        return parts;
    }

    private interface Query<T> {
        T run() throws SQLException, IOException;
    }

    private <T> T query(Query<T> query) throws IOException {
        try {
            return query.run();
        } catch (SQLException e) {
            throw new SourceException("could not read from %s: %s".formatted(url, firstLine(e)));
        }
    }

    private long countRows(PostgresTable table) throws IOException {
        return query(
                () -> {
                    try (var statement = connection.createStatement();
                            var rows =
                                    statement.executeQuery(
                                            "SELECT count(*) FROM " + table.name())) {
                        return rows.next() ? rows.getLong(1) : 0;
                    }
                });
    }

    /** A table of URLs. */
    private final class TablePart implements Part {

        private final String name;
        private final PostgresTable table;
        private final int keyFrom;

        private TablePart(String name, PostgresTable table) {
            this.name = name;
            this.table = table;
            this.keyFrom = table.columns().size() + 1;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long countRows() throws IOException {
            return PostgresImporter.this.countRows(table);
        }

        @Override
        public void read(String after, RowOutput out) throws IOException, InterruptedException {
            var interrupted = query(() -> readRows(after, out));
            if (interrupted) {
                throw new InterruptedException();
            }
        }

        /** Returns whether the thread was interrupted. */
        private boolean readRows(String after, RowOutput out) throws SQLException, IOException {
            try (var statement = connection.prepareStatement(table.select(!after.isEmpty()))) {
                statement.setFetchSize(FETCH_ROWS);
                if (!after.isEmpty()) {
                    setKey(statement, after);
                }
                try (var rows = statement.executeQuery()) {
                    for (var count = 1; rows.next(); count++) {
                        readRow(rows, out);
                        if (out.isCheckpointDue() && !table.key().isEmpty()) {
                            out.checkpoint(key(rows));
                        }
                        if (count % INTERRUPT_CHECK_ROWS == 0 && Thread.interrupted()) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        private void readRow(ResultSet rows, RowOutput out) throws SQLException, IOException {
            var address = Optional.ofNullable(rows.getString(1)).orElse("");
            if (name.equals(PostgresNames.VISITED)) {
                out.visited(address);
                return;
            }
            var column = 1;
            var depth = table.columns().containsKey("depth") ? rows.getInt(++column) : 0;
            var score =
                    table.columns().containsKey("priority_score") ? rows.getDouble(++column) : 0;
            out.queued(address, depth, (int) Math.round(score * priorityScale));
        }

        private String key(ResultSet rows) throws SQLException {
            var key = new ArrayList<String>();
            for (var i = 0; i < table.key().size(); i++) {
                key.add(rows.getString(keyFrom + i));
            }
            return JsonMapper.shared().writeValueAsString(key);
        }

        private void setKey(PreparedStatement statement, String after) throws SQLException {
            var key = JsonMapper.shared().readValue(after, String[].class);
            for (var i = 0; i < key.length; i++) {
                // Without a type, the server takes the type of the column.
                statement.setObject(i + 1, key[i], Types.OTHER);
            }
        }
    }

    @Override
    public long countHosts() throws IOException {
        var table = tables.get(PostgresNames.HOSTS);
        return table == null ? 0 : countRows(table);
    }

    @Override
    public long readHosts(HostOutput out) throws IOException {
        var table = tables.get(PostgresNames.HOSTS);
        return table == null ? 0 : query(() -> readHosts(table, out));
    }

    private long readHosts(PostgresTable table, HostOutput out) throws SQLException, IOException {
        var columns = List.copyOf(table.columns().keySet());
        var text = columns.indexOf("robots_txt_content") + 1;
        var expires = columns.indexOf("robots_txt_expires_timestamp") + 1;
        var excluded = columns.indexOf("is_manually_excluded") + 1;
        var requested = columns.indexOf("last_scheduled_fetch_timestamp") + 1;
        try (var statement = connection.prepareStatement(table.select(false))) {
            statement.setFetchSize(FETCH_ROWS);
            try (var rows = statement.executeQuery()) {
                var count = 0L;
                for (; rows.next(); count++) {
                    var host = Optional.ofNullable(rows.getString(1)).orElse("");
                    if (excluded > 0 && rows.getBoolean(excluded)) {
                        out.excluded(host);
                    }
                    var last = requested > 0 ? time(rows, requested) : Optional.<Instant>empty();
                    if (last.isPresent()) {
                        out.lastRequest(host, last.get());
                    }
                    var robots =
                            text > 0
                                    ? Optional.ofNullable(rows.getString(text))
                                    : Optional.<String>empty();
                    var until = expires > 0 ? time(rows, expires) : Optional.<Instant>empty();
                    if (robots.isPresent() && until.isPresent()) {
                        out.robots(host, robots.get(), until.get());
                    }
                }
                return count;
            }
        }
    }

    /** Returns a timestamp, which is in UTC if it has no zone, or a number since 1970. */
    private static Optional<Instant> time(ResultSet rows, int column) throws SQLException {
        return switch (rows.getMetaData().getColumnType(column)) {
            case Types.SMALLINT,
                    Types.INTEGER,
                    Types.BIGINT,
                    Types.NUMERIC,
                    Types.REAL,
                    Types.DOUBLE ->
                    epoch(rows, column);
            default ->
                    Optional.ofNullable(
                                    rows.getTimestamp(
                                            column,
                                            Calendar.getInstance(TimeZone.getTimeZone("UTC"))))
                            .map(Timestamp::toInstant);
        };
    }

    private static Optional<Instant> epoch(ResultSet rows, int column) throws SQLException {
        var number = rows.getDouble(column);
        var millis = number > EPOCH_MILLIS_FROM ? number : number * 1000;
        return rows.wasNull() ? Optional.empty() : Optional.of(Instant.ofEpochMilli((long) millis));
    }

    @Override
    public void close() throws IOException {
        try {
            connection.rollback();
            connection.close();
        } catch (SQLException e) {
            throw new SourceException("could not close %s: %s".formatted(url, firstLine(e)));
        }
    }
}
