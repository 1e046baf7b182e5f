/** The command line: commands, progress display and exit codes. Only this package prints. */
@NullMarked
package dev.orbweaver.cli;

import org.jspecify.annotations.NullMarked;
