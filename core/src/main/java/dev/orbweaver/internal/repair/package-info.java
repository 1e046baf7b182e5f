/** Rebuilds a damaged frontier from page logs, stored pages and its readable parts. */
@NullMarked
package dev.orbweaver.internal.repair;

import org.jspecify.annotations.NullMarked;
