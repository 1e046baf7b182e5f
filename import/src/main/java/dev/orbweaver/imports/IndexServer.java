package dev.orbweaver.imports;

import dev.orbweaver.imports.SourceClient.Access;
import dev.orbweaver.internal.seeds.SeedOutput;
import dev.orbweaver.model.CrawlUrl;

import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.util.function.Supplier;

/**
 * Requests to an index server. A response that is not the expected data, such as a page of HTML, is
 * requested again.
 */
record IndexServer(SourceClient client, SeedOutput out) {

    private static final int ATTEMPTS_MAX = 3;

    /** The server refuses all requests, so that none is repeated and no other is sent. */
    static final class RefusedException extends SourceException {

        private static final long serialVersionUID = 1;

        RefusedException(CrawlUrl url, int status, String advice) {
            super("%s refuses access (status %d)%s".formatted(url.host(), status, advice));
        }
    }

    /** A response that is not the expected data. The message says what it is. */
    static final class UnexpectedException extends IOException {

        private static final long serialVersionUID = 1;

        UnexpectedException(SourceResponse response) throws IOException {
            super(IndexQuery.unexpected(response));
        }
    }

    /** Reads a response to its end. */
    interface Reader<T> {

        /**
         * Returns what the response contains.
         *
         * @throws UnexpectedException or {@link JacksonException} to request it again
         */
        T read(SourceResponse response) throws IOException;
    }

    /**
     * Requests data.
     *
     * @param name what is requested, for messages
     * @param refused what follows a message that the server refuses access
     * @param end what follows any other message
     */
    <T> T get(CrawlUrl url, String name, String refused, Supplier<String> end, Reader<T> reader)
            throws IOException, InterruptedException {
        for (var attempt = 1; ; attempt++) {
            String problem;
            try (var response = client.get(url, Access.INDEX_SERVER, out)) {
                if (response.status() == 401 || response.status() == 403) {
                    throw new RefusedException(response.url(), response.status(), refused);
                }
                return reader.read(response);
            } catch (JacksonException e) {
                problem = "data that is not JSON or is incomplete";
            } catch (UnexpectedException e) {
                problem = String.valueOf(e.getMessage());
            }
            if (attempt == ATTEMPTS_MAX) {
                throw new SourceException(
                        "%s sent %s, also at attempt %d; %s"
                                .formatted(name, problem, attempt, end.get()));
            }
            out.progress("%s sent %s; next attempt".formatted(name, problem));
        }
    }
}
