/**
 * Fetches one URL and returns a {@link dev.orbweaver.model.FetchResult}: HTTP, DNS, TLS, address
 * guard.
 */
@NullMarked
package dev.orbweaver.internal.fetch;

import org.jspecify.annotations.NullMarked;
