package dev.orbweaver.imports;

import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.internal.seeds.SeedSource;

import org.duckdb.DuckDBDriver;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * URLs in a column of a Parquet file, streamed by DuckDB.
 *
 * @param column its name; empty for {@code url}
 */
record ParquetSource(String description, String file, String column) implements SeedSource {

    private static final long PROGRESS_ROWS = 1_000_000;

    @Override
    public void read(SeedOutput out) throws IOException, InterruptedException {
        var path = InputFile.path(file);
        try (var connection = connect()) {
            read(connection, path, out);
        } catch (SQLException e) {
            throw new SourceException(
                    "%s cannot be read as Parquet: %s"
                            .formatted(
                                    file,
                                    String.valueOf(e.getMessage()).lines().findFirst().orElse("")));
        }
    }

    private static Connection connect() throws SQLException {
        var properties = new Properties();
        // Stream rows instead of materialising the result.
        properties.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, Boolean.toString(true));
        var connection = new DuckDBDriver().connect("jdbc:duckdb:", properties);
        if (connection == null) {
            throw new SQLException("not a DuckDB connection URL");
        }
        try (var statement = connection.createStatement()) {
            var _ = statement.execute("SET memory_limit = '256MB'");
            var _ = statement.execute("SET threads = 1");
        }
        return connection;
    }

    private void read(Connection connection, Path path, SeedOutput out)
            throws SQLException, IOException, InterruptedException {
        var table =
                "read_parquet('%s', hive_partitioning = false)"
                        .formatted(literal(path).replace("'", "''"));
        var names = columns(connection, table);
        var name = names.get(Columns.index(names, column, file)).replace("\"", "\"\"");
        try (var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "SELECT CAST(\"" + name + "\" AS VARCHAR) FROM " + table)) {
            for (var number = 1L; rows.next(); number++) {
                var text = rows.getString(1);
                LineSource.add(out, number, text == null ? "" : text);
                if (number % PROGRESS_ROWS == 0) {
                    out.progress("%,d rows".formatted(number));
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
            }
        }
    }

    /** Returns a pattern that matches one path only: DuckDB reads all files of a pattern. */
    private static String literal(Path path) {
        return path.toAbsolutePath().toString().replaceAll("[*?\\[]", "[$0]");
    }

    private static List<String> columns(Connection connection, String table) throws SQLException {
        var names = new ArrayList<String>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("DESCRIBE SELECT * FROM " + table)) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }
}
