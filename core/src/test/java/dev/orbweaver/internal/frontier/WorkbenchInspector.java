package dev.orbweaver.internal.frontier;

import java.util.function.Consumer;

/** Gives tests of other packages access to a workbench. */
public final class WorkbenchInspector {

    private WorkbenchInspector() {}

    /** Returns the complete state of a workbench, including that of its store. */
    public static void describe(Workbench bench, Consumer<FrontierEvent> out) {
        bench.describe(out);
    }
}
