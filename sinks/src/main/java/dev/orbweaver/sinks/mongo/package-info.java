/** Stores captures as documents in MongoDB. */
@NullMarked
package dev.orbweaver.sinks.mongo;

import org.jspecify.annotations.NullMarked;
