package dev.orbweaver.frontier;

import java.util.function.Consumer;

/** Lets tests of other packages look into a workbench. */
public final class States {

    private States() {}

    /** Everything a workbench knows, wherever it lies. */
    public static void describe(Workbench bench, Consumer<FrontierEvent> out) {
        bench.describe(out);
    }
}
