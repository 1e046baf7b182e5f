package dev.orbweaver.export;

import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;

/** A DuckDB database in a scratch directory, which sorts and joins any amount in bounded memory. */
final class DuckDb implements AutoCloseable {

    static final String INTERNAL_SCHEMA = "internal";

    private static final String MEMORY_MAX = "512MB";
    private static final int THREADS = 2;

    private final DuckDBConnection connection;

    private DuckDb(DuckDBConnection connection) {
        this.connection = connection;
    }

    interface RowVisitor {
        void visit(ResultSet row) throws SQLException, IOException;
    }

    interface SqlTask<T> {
        T run() throws SQLException, IOException;
    }

    static DuckDb create(Path scratch) throws IOException {
        var duckDb = open(scratch, false);
        duckDb.execute("SET temp_directory = '" + escapePath(scratch.resolve("spill")) + "'");
        duckDb.execute("SET memory_limit = '" + MEMORY_MAX + "'");
        duckDb.execute("SET threads = " + THREADS);
        duckDb.execute("SET preserve_insertion_order = false");
        return duckDb;
    }

    /** Opens the database for queries of users: read-only, without access to files or network. */
    static DuckDb readOnly(Path scratch) throws IOException {
        var duckDb = open(scratch, true);
        duckDb.execute("SET temp_directory = '" + escapePath(scratch.resolve("spill")) + "'");
        duckDb.execute("SET memory_limit = '" + MEMORY_MAX + "'");
        duckDb.execute("SET enable_external_access = false");
        duckDb.execute("SET lock_configuration = true");
        return duckDb;
    }

    private static DuckDb open(Path scratch, boolean readOnly) throws IOException {
        return wrapSqlErrors(
                () -> {
                    var properties = new Properties();
                    // Stream rows instead of materialising the result.
                    properties.setProperty(
                            DuckDBDriver.JDBC_STREAM_RESULTS, Boolean.toString(true));
                    if (readOnly) {
                        properties.setProperty(
                                DuckDBDriver.DUCKDB_READONLY_PROPERTY, Boolean.toString(true));
                    }
                    var file = scratch.resolve("tables.duckdb").toAbsolutePath();
                    var connection = new DuckDBDriver().connect("jdbc:duckdb:" + file, properties);
                    if (connection == null) {
                        throw new IOException("not a DuckDB connection URL");
                    }
                    return new DuckDb(connection.unwrap(DuckDBConnection.class));
                });
    }

    private static String escapePath(Path path) {
        return path.toAbsolutePath().toString().replace("'", "''");
    }

    /** Returns a path as an SQL string literal. */
    static String literal(Path path) {
        return "'" + escapePath(path) + "'";
    }

    Connection connection() {
        return connection;
    }

    void execute(String sql) throws IOException {
        var _ =
                wrapSqlErrors(
                        () -> {
                            try (var statement = connection.createStatement()) {
                                return statement.execute(sql);
                            }
                        });
    }

    void query(String sql, RowVisitor visitor) throws IOException {
        var _ =
                wrapSqlErrors(
                        () -> {
                            try (var statement = connection.createStatement();
                                    var rows = statement.executeQuery(sql)) {
                                while (rows.next()) {
                                    visitor.visit(rows);
                                }
                                return true;
                            }
                        });
    }

    long queryLong(String sql) throws IOException {
        var number = new long[1];
        query(sql, row -> number[0] = row.getLong(1));
        return number[0];
    }

    /** Returns an appender for bulk inserts. */
    DuckDBAppender appender(String table) throws IOException {
        return wrapSqlErrors(
                () -> connection.createAppender(DuckDBConnection.DEFAULT_SCHEMA, table));
    }

    /** Returns an appender for a table that queries of users do not see. */
    DuckDBAppender internalAppender(String table) throws IOException {
        return wrapSqlErrors(() -> connection.createAppender(INTERNAL_SCHEMA, table));
    }

    /** Converts {@link SQLException}s to {@link IOException}s. */
    static <T> T wrapSqlErrors(SqlTask<T> sqlTask) throws IOException {
        try {
            return sqlTask.run();
        } catch (SQLException e) {
            throw new IOException("DuckDB: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        var _ =
                wrapSqlErrors(
                        () -> {
                            connection.close();
                            return true;
                        });
    }
}
