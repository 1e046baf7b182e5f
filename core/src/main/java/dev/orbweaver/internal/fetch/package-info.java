/** One URL in, one {@link dev.orbweaver.model.FetchResult} out: HTTP, DNS, TLS, address guard. */
@NullMarked
package dev.orbweaver.internal.fetch;

import org.jspecify.annotations.NullMarked;
