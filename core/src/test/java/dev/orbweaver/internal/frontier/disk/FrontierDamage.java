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
 * Damages every file of a frontier's folder, one place at a time: cut there, or one bit of the byte
 * flipped. What must come of it:
 *
 * <ul>
 *   <li>journal: damage in the last call's frame opens with exactly the state before it, and says
 *       how much was cut; damage further in front is refused;
 *   <li>log of keys: opens with exactly the last state, the log made again from its table;
 *   <li>table of keys: opens with exactly the last state, the table made again from its log;
 *   <li>snapshot, index, segment, dead letters: refused with a sentence that names the file and the
 *       command that repairs it; a bit flipped in a segment may be where nothing is that still
 *       counts, and dead letters behind the snapshot's mark are in the journal too.
 * </ul>
 *
 * Damage to the eight bytes of a file's header may be refused too.
 */
public final class FrontierDamage implements AutoCloseable {

    /** How far from its end a file is damaged: what a crash can have left half done. */
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

    /** Of one file: places damaged, copies opened as they should, copies refused, all else. */
    public static final class Counts {
        /** Places damaged. */
        public int positions;

        /** Copies that opened with what they should. */
        public int opened;

        /** Copies refused with a sentence. */
        public int refused;

        /** Everything else. */
        public int wrong;
    }

    /** A folder made from a seed. */
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

    /** What was found, by kind of file. */
    public Map<String, Counts> counts() {
        return counts;
    }

    Counts of(String kind) {
        return counts.getOrDefault(kind, new Counts());
    }

    /** The first things that were wrong, in words. */
    public List<String> wrong() {
        return wrong;
    }

    /** The files of the folder. */
    public List<String> files() {
        return directory.copy().list(DamagedDirectory.DIRECTORY).stream()
                .map(path -> path.getFileName().toString())
                .toList();
    }

    /** Damages every so many bytes of the last 64 KiB of a file, cut and flipped. */
    public void everywhere(String file, int step) throws IOException {
        var bytes = read(file);
        for (var at = Math.max(0, bytes.length - TAIL); at < bytes.length; at += step) {
            both(file, bytes, at, at / step % Byte.SIZE);
        }
    }

    /** Damages a file at random places of its last 64 KiB. */
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

    /** The file's name without its number. */
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
            case "seen.log" -> judgeAll(found, "is damaged and is made again from its table");
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
        return cut == 0 ? "" : saying("cut " + cut + " unfinished bytes");
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
