package dev.orbweaver.model;

/**
 * How long an output file was when a batch was committed; whatever lies beyond it never happened.
 */
public record FileMark(String name, long length) {}
