/**
 * Text to {@link dev.orbweaver.model.CrawlUrl}: WHATWG parse, resolve, normalise, registrable
 * domain, fingerprint.
 */
@NullMarked
package dev.orbweaver.internal.url;

import org.jspecify.annotations.NullMarked;
