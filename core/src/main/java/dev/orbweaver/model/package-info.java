/** Immutable values of a crawl; they do no I/O and read no clock. */
@NullMarked
package dev.orbweaver.model;

import org.jspecify.annotations.NullMarked;
