package dev.orbweaver.examples;

import dev.orbweaver.Crawler;
import dev.orbweaver.spi.Extraction;

import java.nio.file.Path;

/**
 * Extracts structured data with CSS selectors: name, price and tags of every product page.
 *
 * <pre>{@code
 * mvn -q -f examples compile exec:java -Dexec.mainClass=dev.orbweaver.examples.CssExtraction \
 *     -Dexec.args="https://example.com/ out"
 * }</pre>
 *
 * <p>The fields are stored with their page: {@code orbweaver export} and {@code orbweaver query}
 * show them too. A page without a product has no fields.
 */
public final class CssExtraction {

    public static void main(String[] args) throws Exception {
        try (var crawl =
                Crawler.builder(args[0])
                        .extractor(CssExtraction::product)
                        .onPage(
                                page -> {
                                    if (!page.fields().isEmpty()) {
                                        IO.println(page.url() + " " + page.fields());
                                    }
                                })
                        .open(Path.of(args[1]))) {
            crawl.run();
        }
    }

    /** Extracts the fields of one page. See jsoup's documentation for its selectors. */
    private static void product(Extraction page) {
        var product = page.document().selectFirst(".product");
        if (product == null) {
            return;
        }
        page.put("name", product.select("h1").text());
        page.put("tags", product.select(".tags li").eachText());
        var price = product.select(".price").text().replaceAll("[^0-9.]", "");
        if (!price.isEmpty()) {
            page.put("price", Double.parseDouble(price));
        }
    }

    private CssExtraction() {}
}
