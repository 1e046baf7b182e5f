package dev.orbweaver.imports.crawls;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A real PostgreSQL server on a free port, without any rows. As root it is started in a user
 * namespace, because PostgreSQL refuses to run as root.
 */
public final class PostgresServer implements AutoCloseable {

    private final EmbeddedPostgres server;

    private PostgresServer(EmbeddedPostgres server) {
        this.server = server;
    }

    public static PostgresServer start() throws IOException {
        return new PostgresServer(
                EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .setServerConfig("max_wal_size", "4GB")
                        .start());
    }

    public String jdbc() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    public Connection connect() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    public void execute(String... statements) throws SQLException {
        try (var connection = connect();
                var statement = connection.createStatement()) {
            for (var sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
