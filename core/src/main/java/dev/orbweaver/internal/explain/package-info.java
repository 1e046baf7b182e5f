/** Explains a URL: where it was found, why it was or was not fetched, and the result. */
@NullMarked
package dev.orbweaver.internal.explain;

import org.jspecify.annotations.NullMarked;
