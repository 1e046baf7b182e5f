package dev.orbweaver.internal.frontier;

import java.util.function.Consumer;

/** Lets tests of other packages look into a workbench. */
public final class WorkbenchInspector {

    private WorkbenchInspector() {}

    /** Everything a workbench knows, wherever it lies. */
    public static void describe(Workbench bench, Consumer<FrontierEvent> out) {
        bench.describe(out);
    }
}
