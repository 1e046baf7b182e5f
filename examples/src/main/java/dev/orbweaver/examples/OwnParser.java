package dev.orbweaver.examples;

import dev.orbweaver.Crawler;
import dev.orbweaver.model.Link;
import dev.orbweaver.model.LinkKind;
import dev.orbweaver.model.Page;
import dev.orbweaver.spi.Document;
import dev.orbweaver.spi.Parser;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds links in a media type that Orbweaver does not read by itself: CSV files with a URL in the
 * first column.
 *
 * <pre>{@code
 * mvn -q -f examples compile exec:java -Dexec.mainClass=dev.orbweaver.examples.OwnParser \
 *     -Dexec.args="https://example.com/products.csv out"
 * }</pre>
 *
 * <p>{@code skipExtensions()} without arguments follows links to files of all types; by default a
 * link to a {@code .csv} file is not followed.
 */
public final class OwnParser {

    public static void main(String[] args) throws Exception {
        try (var crawl =
                Crawler.builder(args[0])
                        .skipExtensions()
                        .parser(new CsvParser())
                        .onPage(page -> IO.println(page.title() + " " + page.url()))
                        .open(Path.of(args[1]))) {
            IO.println(crawl.run().pages() + " pages");
        }
    }

    /** Reads {@code text/csv}. It has no state: several threads call it at once. */
    private static final class CsvParser implements Parser {

        @Override
        public boolean accepts(String mediaType) {
            return mediaType.equals("text/csv");
        }

        @Override
        public Page parse(Document document) {
            var text = new String(document.bytes(), 0, document.length(), StandardCharsets.UTF_8);
            var lines = text.lines().toList();
            var links =
                    lines.stream()
                            .skip(1) // the names of the columns
                            .map(line -> document.resolve(line.split(",", 2)[0]))
                            .flatMap(Optional::stream)
                            .distinct()
                            .map(url -> new Link(url, LinkKind.ENTRY, false))
                            .toList();
            var title = lines.isEmpty() ? "" : lines.getFirst();
            return new Page(title, "utf-8", links, false, false);
        }
    }

    private OwnParser() {}
}
