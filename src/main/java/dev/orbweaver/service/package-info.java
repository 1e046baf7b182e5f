/**
 * Jobs over HTTP: REST, live events, and the dashboard.
 *
 * <p>{@link dev.orbweaver.service.Service} is the door. {@code Routes} lists every call; what each
 * does is in the classes named after what they answer for. {@code Guard} decides who may call.
 */
@NullMarked
package dev.orbweaver.service;

import org.jspecify.annotations.NullMarked;
