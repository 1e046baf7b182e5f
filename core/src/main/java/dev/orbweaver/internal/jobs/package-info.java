/**
 * Runs several crawls at the same time. The package has the interface of a job service, its records
 * and rules, and the service of one machine over one shared frontier.
 */
@NullMarked
package dev.orbweaver.internal.jobs;

import org.jspecify.annotations.NullMarked;
