/**
 * The crawler as a library. Start with {@link dev.orbweaver.Crawler#builder(String...)}; {@link
 * dev.orbweaver.CrawlDirectory} reads what was crawled.
 */
@NullMarked
package dev.orbweaver;

import org.jspecify.annotations.NullMarked;
