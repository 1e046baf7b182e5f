/**
 * A web crawler: polite, lossless, fast, explainable. {@link dev.orbweaver.Crawler} opens a crawl;
 * ARCHITECTURE.md describes modules and packages.
 */
@NullMarked
package dev.orbweaver;

import org.jspecify.annotations.NullMarked;
