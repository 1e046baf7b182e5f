/** Decides when a page is visited again, and keeps the state that this needs, one row per page. */
@NullMarked
package dev.orbweaver.internal.revisit;

import org.jspecify.annotations.NullMarked;
