/** Figures for Prometheus. The one room that knows Micrometer. */
@NullMarked
package dev.orbweaver.server.metrics;

import org.jspecify.annotations.NullMarked;
