/** The extension points of a crawl, passed to {@link dev.orbweaver.CrawlerBuilder} as instances. */
@NullMarked
package dev.orbweaver.spi;

import org.jspecify.annotations.NullMarked;
