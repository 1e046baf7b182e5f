/** Does this link belong to this crawl, and if not, why. */
@NullMarked
package dev.orbweaver.internal.scope;

import org.jspecify.annotations.NullMarked;
