/** Where seed URLs come from: what a source lists, and what receives it. */
@NullMarked
package dev.orbweaver.internal.seeds;

import org.jspecify.annotations.NullMarked;
