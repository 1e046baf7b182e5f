/** A web crawler. {@link dev.orbweaver.Crawler} opens a crawl; see ARCHITECTURE.md. */
@NullMarked
package dev.orbweaver;

import org.jspecify.annotations.NullMarked;
