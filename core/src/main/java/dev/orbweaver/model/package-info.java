/** Immutable values, no I/O, no clock. */
@NullMarked
package dev.orbweaver.model;

import org.jspecify.annotations.NullMarked;
