/**
 * A simulated web served over loopback, with its DNS and its auditor, for the demo and the tests.
 */
@NullMarked
package dev.orbweaver.lab;

import org.jspecify.annotations.NullMarked;
