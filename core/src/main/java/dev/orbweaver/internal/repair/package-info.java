/** Builds a damaged frontier again from page logs, stored pages and what is readable of it. */
@NullMarked
package dev.orbweaver.internal.repair;

import org.jspecify.annotations.NullMarked;
