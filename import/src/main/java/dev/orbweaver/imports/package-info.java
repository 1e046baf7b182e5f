/**
 * Sources of URLs outside a crawl: sitemaps, feeds, index servers, archives and files.
 *
 * <p>{@link dev.orbweaver.imports.SourceSpec} parses what a user writes, {@link
 * dev.orbweaver.imports.SeedSources} opens it, and every source passes its URLs on as it reads
 * them. All requests go through {@link dev.orbweaver.imports.SourceClient}.
 */
@NullMarked
package dev.orbweaver.imports;

import org.jspecify.annotations.NullMarked;
