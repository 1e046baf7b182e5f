package dev.orbweaver.internal.frontier.disk;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Kills a process that only calls a frontier (SIGKILL, at any moment, also while it opens) and
 * starts the next one on the same directory, again and again; then one process empties it. Each
 * process prints its calls, which are recorded here. A call that a kill interrupted may be applied
 * or not, but only as a whole.
 */
public final class FrontierKillLoop {

    private static final int LINES_MAX = 900;
    private static final int OPENING_MILLIS_MAX = 1200;

    private final Path directory;
    private final Random random;
    private final List<String> wrong = new ArrayList<>();
    private FrontierKillModel model = new FrontierKillModel();
    private List<String> leasesOfKilled = List.of();
    private String interrupted = "";
    private long nextId;
    private int kills;
    private int killedInACall;
    private long calls;
    private long snapshots;

    /**
     * Creates a loop on this directory, which must be empty; the moments of the kills come from a
     * seed.
     */
    public FrontierKillLoop(Path directory, long seed) {
        this.directory = directory;
        this.random = new Random(seed);
    }

    /** Returns the first errors, as text. */
    public List<String> wrong() {
        return wrong;
    }

    /** Kills made. */
    public int kills() {
        return kills;
    }

    /** Kills that interrupted a call. */
    public int killedInACall() {
        return killedInACall;
    }

    /** Calls that returned. */
    public long calls() {
        return calls;
    }

    /** Snapshots taken. */
    public long snapshots() {
        return snapshots;
    }

    /** URLs done or dead at the end. */
    public long settled() {
        return model.settled();
    }

    /** Kills this often, then empties the frontier. */
    public void run(int wanted) throws Exception {
        while (kills < wanted && wrong.isEmpty()) {
            runProcess("loop");
        }
        if (wrong.isEmpty()) {
            runProcess("drain");
        }
        if (wrong.isEmpty() && model.unfinished() > 0) {
            wrong.add(model.unfinished() + " URLs were lost");
        }
    }

    private void runProcess(String kind) throws Exception {
        var process = start(kind);
        var drain = kind.equals("drain");
        try (var reader = process.inputReader();
                var killer = Executors.newSingleThreadScheduledExecutor()) {
            var inOpening = !drain && random.nextInt(6) == 0;
            if (inOpening) {
                var delay = random.nextInt(OPENING_MILLIS_MAX);
                var _ = killer.schedule(() -> kill(process), delay, TimeUnit.MILLISECONDS);
            }
            var lines = drain || inOpening ? Integer.MAX_VALUE : random.nextInt(LINES_MAX);
            listen(reader, lines, process);
            killer.shutdownNow();
        } finally {
            process.destroyForcibly();
        }
        var exit = process.waitFor();
        if (drain ? exit != 0 : exit != 137) {
            wrong.add("ended by itself, with exit code " + exit);
        }
        kills += drain ? 0 : 1;
        leasesOfKilled = model.processKilled();
        try (var files = Files.list(directory)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("snapshot-\\d+"))
                    .mapToLong(name -> Long.parseLong(name.substring(9)))
                    .forEach(number -> snapshots = Math.max(snapshots, number));
        }
    }

    /** Not by the process itself, which would close the pipe: its output must still be read. */
    private static boolean kill(Process process) {
        return process.toHandle().destroyForcibly();
    }

    private Process start(String kind) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FrontierKillTarget.class.getName(),
                        directory.toString(),
                        Long.toString(random.nextLong()),
                        Long.toString(nextId),
                        kind));
        command.addAll(leasesOfKilled);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private void listen(BufferedReader reader, int lines, Process process) throws IOException {
        var left = lines;
        var call = "";
        var opened = false;
        for (var line = reader.readLine(); line != null; line = reader.readLine()) {
            if (!line.endsWith(FrontierKillTarget.END)) {
                break; // Torn by the kill.
            }
            var said = line.substring(0, line.length() - FrontierKillTarget.END.length());
            if (said.startsWith("!open")) {
                opened(said.substring("!open".length()));
                opened = true;
            } else if (said.startsWith("?")) {
                call = said;
                noteIds(said);
            } else {
                returned(call, said);
                call = "";
            }
            if (left-- == 0) {
                var _ = kill(process);
            }
        }
        if (opened) {
            interrupted = call;
            killedInACall += call.isEmpty() ? 0 : 1;
        }
    }

    private void noteIds(String call) {
        if (call.startsWith("?offer")) {
            var words = call.split(" ", -1);
            for (var i = 2; i < words.length; i++) {
                nextId = Math.max(nextId, Long.parseLong(words[i]) + 1);
            }
        }
    }

    /**
     * Checks the state that a process found: the acknowledged one, with or without the interrupted
     * call.
     */
    private void opened(String ledgers) {
        var happened = model.copy();
        happened.recordCall(interrupted);
        var _ = happened.processKilled();
        if (ledgers.equals(happened.ledgers())) {
            model = happened;
        } else if (!ledgers.equals(model.ledgers())) {
            addProblem(
                    "after kill %d found%s, not%s or, with %s,%s"
                            .formatted(
                                    kills,
                                    ledgers,
                                    model.ledgers(),
                                    interrupted,
                                    happened.ledgers()));
        }
        interrupted = "";
    }

    private void returned(String call, String said) {
        calls++;
        var words = said.split(" ", -1);
        switch (words[0]) {
            case "!lease" -> {
                for (var i = 1; i < words.length; i++) {
                    var problem = model.leased(words[i]);
                    if (!problem.isEmpty()) {
                        addProblem(problem);
                    }
                }
            }
            case "!settle" -> {
                if (!words[1].equals("0")) {
                    addProblem(words[1] + " refused of " + call);
                }
                model.recordCall(call);
            }
            case "!stale" -> {
                if (!words[1].equals("1")) {
                    addProblem("a lease was settled twice");
                }
            }
            default -> model.recordCall(call);
        }
    }

    private void addProblem(String problem) {
        if (wrong.size() < 10) {
            wrong.add(problem);
        }
    }
}
