import dev.orbweaver.Crawler;
import dev.orbweaver.config.CrawlConfig;

import java.nio.file.Path;

/**
 * Crawls with Orbweaver as a library: {@code java -cp 'cli/target/orbweaver.jar:cli/target/lib/*'
 * examples/EmbeddedCrawl.java URL DIR}.
 */
void main(String[] args) throws Exception {
    var config =
            CrawlConfig.of(args[0]).withSetting("max-pages", "20").withSetting("delay", "100ms");
    try (var crawl =
            Crawler.open(
                    config, Path.of(args[1]), page -> IO.println(page.kind() + " " + page.url()))) {
        IO.println("ended: " + crawl.run().reason());
    }
}
