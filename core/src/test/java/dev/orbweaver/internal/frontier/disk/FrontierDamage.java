package dev.orbweaver.internal.frontier.disk;

import dev.orbweaver.internal.frontier.disk.DamagedDirectory.State;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Damages every file of a frontier's directory, one position at a time: by truncation, or by a
 * flipped bit. The expected results:
 *
 * <ul>
 *   <li>journal: damage in the last call's frame opens with exactly the state before it, and logs
 *       how much was truncated; damage further in front is rejected;
 *   <li>log of keys: opens with exactly the last state, the log rebuilt from its table;
 *   <li>table of keys: opens with exactly the last state, the table rebuilt from its log;
 *   <li>snapshot, index, segment, dead letters: rejected with a message that names the file and the
 *       command that repairs it; a bit flipped in a segment may be in a part that is no longer
 *       used, and dead letters after the snapshot's length are in the journal too.
 * </ul>
 *
 * <p>Damage to the eight bytes of a file's header may be rejected too.
 */
public final class FrontierDamage implements AutoCloseable {

    /** How far from its end a file is damaged: the part that a crash can have left half done. */
    public static final int TAIL = 1 << 16;

    private static final int HEADER = 8;
    private static final Logger LOG = Logger.getLogger("dev.orbweaver.internal.frontier.disk");

    private final DamagedDirectory directory;
    private final List<String> said = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private final Map<String, Counts> counts = new LinkedHashMap<>();
    private final Handler listener =
            new Handler() {
                @Override
                public void publish(LogRecord line) {
                    said.add(line.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    /**
     * Results for one file: damaged positions, copies opened correctly, copies rejected, all
     * others.
     */
    public static final class Counts {
        /** Damaged positions. */
        public int positions;

        /** Copies that opened with the expected state. */
        public int opened;

        /** Copies that were rejected with a message. */
        public int refused;

        /** All other results. */
        public int wrong;
    }

    /** Creates a directory from a seed. */
    public FrontierDamage(long seed, int journalBytes, int snapshots) throws IOException {
        LOG.addHandler(listener);
        LOG.setUseParentHandlers(false);
        directory = new DamagedDirectory(seed, journalBytes, snapshots);
    }

    @Override
    public void close() {
        LOG.removeHandler(listener);
        LOG.setUseParentHandlers(true);
    }

    /** Returns the results, by kind of file. */
    public Map<String, Counts> counts() {
        return counts;
    }

    Counts of(String kind) {
        return counts.getOrDefault(kind, new Counts());
    }

    /** Returns the first errors, as text. */
    public List<String> wrong() {
        return wrong;
    }

    /** Returns the files of the directory. */
    public List<String> files() {
        return directory.copy().list(DamagedDirectory.DIRECTORY).stream()
                .map(path -> path.getFileName().toString())
                .toList();
    }

    /**
     * Damages a file at regular intervals in its last 64 KiB, by truncation and by a flipped bit.
     */
    public void everywhere(String file, int step) throws IOException {
        var bytes = read(file);
        for (var at = Math.max(0, bytes.length - TAIL); at < bytes.length; at += step) {
            both(file, bytes, at, at / step % Byte.SIZE);
        }
    }

    /** Damages a file at random positions in its last 64 KiB. */
    public void somewhere(String file, int places, Random random) throws IOException {
        var bytes = read(file);
        var from = Math.max(0, bytes.length - TAIL);
        for (var i = 0; i < places && bytes.length > 0; i++) {
            var at = from + random.nextInt(bytes.length - from);
            both(file, bytes, at, random.nextInt(Byte.SIZE));
        }
    }

    private byte[] read(String file) throws IOException {
        return directory.copy().read(DamagedDirectory.DIRECTORY.resolve(file));
    }

    private void both(String file, byte[] bytes, int at, int bit) throws IOException {
        var flipped = bytes.clone();
        flipped[at] ^= (byte) (1 << bit);
        judge(file, at, "cut", Arrays.copyOf(bytes, at));
        judge(file, at, "flipped", flipped);
    }

    private void judge(String file, int at, String how, byte[] damaged) throws IOException {
        var count = counts.computeIfAbsent(kind(file), _ -> new Counts());
        count.positions++;
        var path = DamagedDirectory.DIRECTORY.resolve(file);
        var disk = directory.copy();
        disk.put(path, damaged);
        said.clear();
        var problem = "";
        try {
            var found = directory.open(disk);
            problem = judgeOpened(file, at, found, damaged.length);
            count.opened += problem.isEmpty() ? 1 : 0;
        } catch (IOException e) {
            problem = judgeRefused(file, at, how, e);
            count.refused += problem.isEmpty() ? 1 : 0;
        } catch (RuntimeException e) {
            problem = e.toString();
        }
        if (!problem.isEmpty()) {
            count.wrong++;
            if (wrong.size() < 10) {
                wrong.add("%s %s at byte %d: %s %s".formatted(file, how, at, problem, said));
            }
        }
    }

    /** Returns the file's name without its number. */
    static String kind(String file) {
        return file.replaceFirst("-\\d+", "");
    }

    private String judgeRefused(String file, int at, String how, IOException refusal) {
        var mayBe =
                switch (kind(file)) {
                    case "segment", "segment.index", "snapshot", "dead", "fingerprint-key" -> true;
                    case "journal" ->
                            at < HEADER || (how.equals("flipped") && !directory.isInLastFrame(at));
                    default -> at < HEADER;
                };
        var sentence = String.valueOf(refusal.getMessage());
        return mayBe && sentence.contains(file) && sentence.contains("orbweaver repair")
                ? ""
                : "refused: " + sentence;
    }

    private String judgeOpened(String file, int at, State found, int length) throws IOException {
        return switch (kind(file)) {
            case "journal" -> judgeJournal(at, found, length);
            case "seen.log" -> judgeAll(found, "is damaged; rebuilding it from its table");
            case "dead" -> judgeSame(found);
            case "seen.table" -> judgeSame(found);
            case "segment" -> length == at ? "opened although cut" : judgeSame(found);
            default -> "opened with a damaged " + file;
        };
    }

    private String judgeSame(State found) {
        return found.equals(directory.last()) ? "" : "another state";
    }

    private String judgeAll(State found, String sentence) {
        var problem = judgeSame(found);
        return problem.isEmpty() ? saying(sentence) : problem;
    }

    private String saying(String sentence) {
        return said.stream().anyMatch(line -> line.contains(sentence)) ? "" : "said nothing";
    }

    private String judgeJournal(int at, State found, int length) {
        if (length > at && !directory.isInLastFrame(at)) {
            return "opened although there is more behind the damage";
        }
        if (!found.equals(directory.at(at))) {
            return "not the state before the damage";
        }
        var cut = length - directory.boundary(at);
        return cut == 0 ? "" : saying("truncated " + cut + " bytes of an incomplete frame");
    }

    /** Opens a copy in which several files were replaced; an empty one is deleted. */
    State open(Map<String, byte[]> replaced) throws IOException {
        var disk = directory.copy();
        for (var file : replaced.entrySet()) {
            disk.put(path(file.getKey()), file.getValue());
            if (file.getValue().length == 0) {
                disk.delete(path(file.getKey()));
            }
        }
        said.clear();
        return directory.open(disk);
    }

    private static Path path(String file) {
        return DamagedDirectory.DIRECTORY.resolve(file);
    }

    DamagedDirectory directory() {
        return directory;
    }

    List<String> said() {
        return said;
    }
}
