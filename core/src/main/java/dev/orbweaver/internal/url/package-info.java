/**
 * Parses text into {@link dev.orbweaver.model.CrawlUrl}: parse, resolve, normalise, fingerprint.
 */
@NullMarked
package dev.orbweaver.internal.url;

import org.jspecify.annotations.NullMarked;
