/** Figures for Prometheus. The one room that knows Micrometer. */
@NullMarked
package dev.orbweaver.metrics;

import org.jspecify.annotations.NullMarked;
