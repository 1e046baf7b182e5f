package dev.orbweaver.internal.frontier.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The expected state of a {@link FrontierKillTarget}, in another process: plain sets. */
final class FrontierKillModel {

    private final List<Job> jobs = List.of(new Job(), new Job());

    /** Outstanding leases by token, each "job:id". */
    private final Map<Long, String> held = new HashMap<>();

    private long lastToken;

    private static final class Job {
        private final Set<Long> queued = new HashSet<>();
        private final Set<Long> leased = new HashSet<>();
        private final Set<Long> done = new HashSet<>();
        private final Set<Long> dead = new HashSet<>();
        private long duplicates;

        private boolean knows(long id) {
            return queued.contains(id)
                    || leased.contains(id)
                    || done.contains(id)
                    || dead.contains(id);
        }

        private void clear() {
            queued.clear();
            leased.clear();
            done.clear();
            dead.clear();
            duplicates = 0;
        }

        private void copyTo(Job other) {
            other.queued.addAll(queued);
            other.leased.addAll(leased);
            other.done.addAll(done);
            other.dead.addAll(dead);
            other.duplicates = duplicates;
        }
    }

    FrontierKillModel copy() {
        var copy = new FrontierKillModel();
        for (var i = 0; i < jobs.size(); i++) {
            jobs.get(i).copyTo(copy.jobs.get(i));
        }
        copy.held.putAll(held);
        copy.lastToken = lastToken;
        return copy;
    }

    /** Applies a call that has happened; its arguments are in the line that announced it. */
    void recordCall(String call) {
        var words = call.split(" ", -1);
        switch (words[0]) {
            case "?offer" -> {
                var job = jobs.get(Integer.parseInt(words[1]));
                for (var i = 2; i < words.length; i++) {
                    var id = Long.parseLong(words[i]);
                    if (job.knows(id)) {
                        job.duplicates++;
                    } else {
                        job.queued.add(id);
                    }
                }
            }
            case "?settle" -> Arrays.stream(words).skip(1).forEach(this::settled);
            case "?delete" -> {
                jobs.get(1).clear();
                held.values().removeIf(lease -> lease.startsWith("1:"));
            }
            default -> {} // Nothing that outlives the process.
        }
    }

    private void settled(String settlement) {
        var words = settlement.split(":", -1);
        var job = jobs.get(Integer.parseInt(words[1]));
        var id = Long.parseLong(words[2]);
        held.remove(Long.parseLong(words[0]));
        job.leased.remove(id);
        job.queued.remove(id); // Where its holder's death has put it.
        switch (words[3]) {
            case "done" -> job.done.add(id);
            case "dead" -> job.dead.add(id);
            default -> job.queued.add(id);
        }
    }

    /** Records a leased URL. Returns an empty string, or the error. */
    String leased(String lease) {
        var words = lease.split(":", -1);
        var token = Long.parseLong(words[0]);
        var job = jobs.get(Integer.parseInt(words[1]));
        var id = Long.parseLong(words[2]);
        if (token <= lastToken) {
            return "token %d came after %d".formatted(token, lastToken);
        }
        lastToken = token;
        if (!job.queued.remove(id)) {
            return "%s was leased, %s"
                    .formatted(
                            lease,
                            job.leased.contains(id)
                                    ? "which is already leased"
                                    : job.done.contains(id) || job.dead.contains(id)
                                            ? "which was settled"
                                            : "which was never offered");
        }
        job.leased.add(id);
        held.put(token, words[1] + ":" + words[2]);
        return "";
    }

    /** Records that the process is dead: its leases are queued again. Returns them. */
    List<String> processKilled() {
        var leases = new ArrayList<String>();
        held.forEach((token, lease) -> leases.add(token + ":" + lease));
        held.clear();
        for (var job : jobs) {
            job.queued.addAll(job.leased);
            job.leased.clear();
        }
        return leases;
    }

    /** Returns the ledgers of both jobs as {@link FrontierKillTarget} prints them. */
    String ledgers() {
        var line = new StringBuilder();
        for (var job : jobs) {
            line.append(
                    " %d %d %d %d %d %d"
                            .formatted(
                                    job.queued.size()
                                            + job.leased.size()
                                            + job.done.size()
                                            + job.dead.size(),
                                    job.queued.size(),
                                    job.leased.size(),
                                    job.done.size(),
                                    job.dead.size(),
                                    job.duplicates));
        }
        return line.toString();
    }

    long unfinished() {
        return jobs.stream().mapToLong(job -> job.queued.size() + job.leased.size()).sum();
    }

    long settled() {
        return jobs.stream().mapToLong(job -> job.done.size() + job.dead.size()).sum();
    }
}
