/** Programs that use Orbweaver as a library, each complete in one file. */
package dev.orbweaver.examples;
