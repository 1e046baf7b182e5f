/** Detects crawler traps: URL patterns whose pages repeat each other. */
@NullMarked
package dev.orbweaver.internal.traps;

import org.jspecify.annotations.NullMarked;
