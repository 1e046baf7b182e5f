/** Commands, progress, exit codes, all printing. */
@NullMarked
package dev.orbweaver.cli;

import org.jspecify.annotations.NullMarked;
