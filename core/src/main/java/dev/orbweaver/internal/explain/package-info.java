/** Explains a URL: where it was found, why it was or was not fetched, and what came of it. */
@NullMarked
package dev.orbweaver.internal.explain;

import org.jspecify.annotations.NullMarked;
