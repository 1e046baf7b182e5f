package dev.orbweaver.frontier;

import dev.orbweaver.model.FileMark;

import java.util.List;

/** One commit: settlements in order, and how long each output file is that holds their captures. */
public record Batch(List<Settlement> settlements, List<FileMark> marks) {

    /** Keeps the parts unchangeable. */
    public Batch {
        settlements = List.copyOf(settlements);
        marks = List.copyOf(marks);
    }
}
