/**
 * Schedules that start jobs at planned times.
 *
 * <p>{@code Timetable} says when runs are planned, {@code ScheduleRules} decides what happens to
 * each planned run, and {@code Schedules} stores the decisions and submits the jobs.
 */
@NullMarked
package dev.orbweaver.server.schedules;

import org.jspecify.annotations.NullMarked;
