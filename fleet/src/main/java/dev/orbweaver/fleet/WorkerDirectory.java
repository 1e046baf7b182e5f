package dev.orbweaver.fleet;

import dev.orbweaver.fleet.redis.Fleet;
import dev.orbweaver.fleet.redis.FleetJob;
import dev.orbweaver.internal.config.InvalidArgumentException;
import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.DirectoryLock;
import dev.orbweaver.internal.disk.Disk;
import dev.orbweaver.internal.disk.RealDisk;
import dev.orbweaver.internal.frontier.CommittedLengths;
import dev.orbweaver.internal.frontier.disk.CommittedLengthsFile;
import dev.orbweaver.internal.frontier.disk.FingerprintKeyFile;
import dev.orbweaver.internal.sink.FleetPart;
import dev.orbweaver.model.CommittedLength;
import dev.orbweaver.model.JobId;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The directory of one worker: the fleet that it was last used with, and a directory for each job.
 * It is locked until it is closed.
 */
final class WorkerDirectory implements AutoCloseable {

    private final Disk disk = new RealDisk();
    private final Path data;
    private final DirectoryLock lock;

    /** Jobs that were opened since the start. */
    private final Map<JobId, CommittedLengths> openLengths = new ConcurrentHashMap<>();

    /** Lengths of jobs that were not opened, as read: only this process writes them. */
    private final Map<JobId, List<CommittedLength>> storedLengths = new ConcurrentHashMap<>();

    private WorkerDirectory(Path data, DirectoryLock lock) {
        this.data = data;
        this.lock = lock;
    }

    static WorkerDirectory open(Path data) throws IOException {
        Files.createDirectories(data);
        if (Files.isDirectory(data.resolve(DirectoryLayout.FRONTIER))) {
            throw new InvalidArgumentException(
                    data
                            + " is the directory of a crawl or of a service without a fleet: choose"
                            + " another with --data");
        }
        return new WorkerDirectory(
                data,
                DirectoryLock.tryLock(data.resolve(DirectoryLayout.LOCK))
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "another worker is using "
                                                        + data
                                                        + ": use a separate directory for each"
                                                        + " worker")));
    }

    /**
     * Records the fleet that the directory is used with, and returns whether Redis lost its data
     * since the last use. In that case the fleet has a new fingerprint key. A fleet with another
     * key and the same data is not the fleet that the directory was used with.
     */
    boolean recordFleet(Fleet fleet, String name) throws IOException {
        var file = data.resolve(DirectoryLayout.FLEET_INCARNATION);
        var now = fleet.incarnation();
        var dataLost = Files.exists(file) && !AtomicFile.read(disk, file).strip().equals(now);
        AtomicFile.write(disk, file, now + "\n");
        var keyFile = data.resolve(FingerprintKeyFile.NAME);
        if (dataLost || !disk.exists(keyFile)) {
            FingerprintKeyFile.write(disk, data, fleet.fingerprintKey());
        }
        FingerprintKeyFile.createOrVerify(
                disk,
                data,
                fleet.fingerprintKey(),
                "the fleet %s has another fingerprint key in Redis than the one in %s: Redis lost its data or is another one; restore it from a backup, or choose another directory with --data"
                        .formatted(name, keyFile));
        return dataLost;
    }

    Path jobs() {
        return data.resolve(DirectoryLayout.JOBS);
    }

    Path job(JobId job) {
        return jobs().resolve(Integer.toString(job.number()));
    }

    /**
     * Assigns a directory to a job.
     *
     * @throws IOException also if it has the files of another job
     */
    void assign(FleetJob job, FleetPart part) throws IOException {
        var directory = job(job.id());
        var before = FleetPart.read(directory);
        var own =
                before.isPresent()
                        ? before.get().identity().equals(job.identity())
                        : !Files.exists(directory.resolve(DirectoryLayout.PAGE_LOG));
        if (!own) {
            throw new IOException(
                    directory + " has the files of another job with the same number: move it away");
        }
        part.save(directory);
    }

    CommittedLengths openLengths(JobId job, boolean sync) throws IOException {
        var lengths = CommittedLengthsFile.open(disk, job(job), sync);
        openLengths.put(job, lengths);
        return lengths;
    }

    List<CommittedLength> lengths(JobId job) throws IOException {
        var open = openLengths.get(job);
        if (open != null) {
            return open.latest();
        }
        var stored = storedLengths.get(job);
        if (stored == null) {
            stored =
                    Files.exists(job(job).resolve(CommittedLengthsFile.FILE))
                            ? CommittedLengthsFile.read(disk, job(job))
                            : List.of();
            storedLengths.put(job, stored);
        }
        return stored;
    }

    /** Removes the cached lengths of all other jobs. */
    void retain(Set<JobId> jobs) {
        openLengths.keySet().retainAll(jobs);
        storedLengths.keySet().retainAll(jobs);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
