/** Metrics for Prometheus. The only package that uses Micrometer. */
@NullMarked
package dev.orbweaver.server.metrics;

import org.jspecify.annotations.NullMarked;
