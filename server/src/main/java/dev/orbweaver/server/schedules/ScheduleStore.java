package dev.orbweaver.server.schedules;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.DirectoryLayout;
import dev.orbweaver.internal.disk.Disk;

import tools.jackson.core.JacksonException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Stores each schedule in a file of its own. The files are private: settings may be secret. */
final class ScheduleStore {

    private static final String SUFFIX = ".json";

    private final Disk disk;
    private final Path data;

    ScheduleStore(Disk disk, Path data) {
        this.disk = disk;
        this.data = data;
    }

    /** Returns a number that no schedule has or had. It is stored before it is used. */
    int nextId() throws IOException {
        var file = data.resolve(DirectoryLayout.NEXT_SCHEDULE);
        var number = Files.exists(file) ? Integer.parseInt(AtomicFile.read(disk, file).strip()) : 1;
        AtomicFile.write(disk, file, (number + 1) + "\n");
        return number;
    }

    void save(Schedule schedule) throws IOException {
        Files.createDirectories(data.resolve(DirectoryLayout.SCHEDULES));
        AtomicFile.writePrivate(disk, file(schedule.id()), schedule.toJson());
    }

    void delete(int id) throws IOException {
        disk.delete(file(id));
        disk.syncDirectory(data.resolve(DirectoryLayout.SCHEDULES));
    }

    private Path file(int id) {
        return data.resolve(DirectoryLayout.SCHEDULES).resolve(id + SUFFIX);
    }

    /** Returns all schedules, by number. */
    List<Schedule> all() throws IOException {
        var schedules = new ArrayList<Schedule>();
        var directory = data.resolve(DirectoryLayout.SCHEDULES);
        if (!Files.isDirectory(directory)) {
            return schedules;
        }
        try (var files = Files.list(directory)) {
            for (var file : files.filter(each -> each.toString().endsWith(SUFFIX)).toList()) {
                schedules.add(read(file));
            }
        }
        schedules.sort(Comparator.comparingInt(Schedule::id));
        return schedules;
    }

    private Schedule read(Path file) throws IOException {
        try {
            return Schedule.fromJson(AtomicFile.read(disk, file));
        } catch (JacksonException e) {
            throw new IOException(file + " is damaged: restore it, or move it away", e);
        }
    }
}
