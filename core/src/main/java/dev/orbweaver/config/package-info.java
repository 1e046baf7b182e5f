/** One tree of settings, one loader, every error reported at once. */
@NullMarked
package dev.orbweaver.config;

import org.jspecify.annotations.NullMarked;
